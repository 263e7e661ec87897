//! Odd names.

use super::site::Site;
use crate::{Failure, Place, check_eq};

/// Names as the format has them are told apart and come back as they were written.
pub(crate) async fn names_of_the_format_come_back(place: &dyn Place) -> Result<(), Failure> {
    // A keyed hash, and a life: two numbers of 16 digits with a point between.
    const HASH: &str = "0123456789abcdef0123456789abcdef";
    const LIFE: &str = "fffffffffffffffe.ffffffffffffffff";
    let in_a_life = ["clock", "hist/0000000000000", "log/fffffffffffff/ffe", "log/fffffffffffff/ffe.checkpoint"];
    let mut names: Vec<String> = in_a_life.iter().map(|name| format!("users/{HASH}/{LIFE}/{name}")).collect();
    names.extend(["header/fffffffffffffffe", "a.b", "a.b.c", "a-b_c", "0"].map(String::from));
    come_back(place, names).await
}

/// Segments of 250 bytes, and paths of many segments and of 900 bytes.
///
/// 250 and not 255, which file systems allow, because a file is staged under a longer name than its own; 900 and not
/// 1024, which S3 allows, because the place may have a prefix.
pub(crate) async fn long_and_deep_names_come_back(place: &dyn Place) -> Result<(), Failure> {
    let long = "x".repeat(249);
    let deep = ["d"; 40].join("/");
    let both = [long.as_str(); 3].join("y/");
    let names = [long, deep, both].iter().flat_map(|name| ["0", "1"].map(|last| format!("{name}{last}"))).collect();
    come_back(place, names).await
}

/// Creates the objects, and finds each and nothing else.
async fn come_back(place: &dyn Place, mut names: Vec<String>) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    for name in &names {
        site.create(name, name.clone()).await?;
    }
    for name in &names {
        check_eq!(site.get(name).await?, name, "what was created as {name}");
    }
    names.sort_unstable();
    check_eq!(site.names("").await?, names, "all names");
    for name in &names {
        site.delete(name).await?;
    }
    check_eq!(site.names("").await?, Vec::<String>::new(), "names when all are deleted");
    Ok(())
}
