//! Reading what was written, whole and in part.

use futures_util::future;
use object_store::{Error, GetRange};

use super::site::{Site, body};
use crate::{Failure, Place, check, check_eq};

/// A plain put replaces the object, also by a shorter one, and one that is not there yet is made.
pub(crate) async fn overwrite_replaces(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    site.create("clock", body(1, 5_000)).await?;
    for (seed, length) in [(2, 6_000), (3, 10), (4, 0), (5, 5_000)] {
        site.put("clock", body(seed, length)).await?;
        check!(site.get("clock").await? == body(seed, length), "not the {length} bytes that were put last");
        check_eq!(site.head("clock").await?.size, length as u64, "size after an overwrite");
    }
    site.put("new", "made by a put").await?;
    check_eq!(site.get("new").await?, "made by a put");
    Ok(())
}

/// While an object is overwritten, a read gives the whole of the old or the whole of the new content.
pub(crate) async fn an_overwrite_is_never_seen_by_halves(place: &dyn Place) -> Result<(), Failure> {
    const SIZE: usize = 200_000;
    let site = Site::fresh(place).await?;
    let contents = [body(1, SIZE), body(2, SIZE)];
    site.create("object", contents[0].clone()).await?;
    for content in contents.iter().cycle().skip(1).take(20) {
        let reads = future::try_join_all((0..4).map(|_| site.get("object")));
        let (_, reads) = future::try_join(site.put("object", content.clone()), reads).await?;
        for read in reads {
            check!(contents.contains(&read), "a read gave neither content, but {} bytes of something else", read.len());
        }
        check!(site.get("object").await? == content, "a read after an overwrite did not give the new content");
    }
    Ok(())
}

/// An object of no bytes can be created, read and listed, and is in the way of another create.
pub(crate) async fn an_empty_object_is_an_object(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    site.create("log/fff", "").await?;
    check_eq!(site.get("log/fff").await?, "");
    check_eq!(site.head("log/fff").await?.size, 0);
    check_eq!(site.names("log").await?, ["log/fff"]);
    check!(site.create("log/fff", "second").await.is_err(), "an empty object was created a second time");
    check_eq!(site.get("log/fff").await?, "");
    Ok(())
}

/// 8 MiB in one put: created, overwritten, read whole and in part.
pub(crate) async fn a_large_object_comes_back_whole(place: &dyn Place) -> Result<(), Failure> {
    const SIZE: usize = 8 * 1024 * 1024;
    let site = Site::fresh(place).await?;
    let (first, second) = (body(1, SIZE), body(2, SIZE));
    site.create("large", first.clone()).await?;
    check!(site.get("large").await? == first, "a large object that was created came back changed");
    site.put("large", second.clone()).await?;
    check!(site.get("large").await? == second, "a large object that was overwritten came back changed");
    for range in [0..1_000, SIZE / 2 - 500..SIZE / 2 + 500, SIZE - 1_000..SIZE] {
        let asked = GetRange::Bounded(range.start as u64..range.end as u64);
        let read = site.get_range("large", asked).await?.bytes().await?;
        check!(read == second[range.clone()], "bytes {range:?} of a large object came back changed");
    }
    Ok(())
}

/// What is not there is not found, whole or in part, and looking for it does not make it.
pub(crate) async fn a_missing_object_is_not_found(place: &dyn Place) -> Result<(), Failure> {
    fn not_found<T>(what: &str, answer: Result<T, Error>) -> Result<(), Failure> {
        match answer {
            Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Failure::new(format!("{what} of a missing object got another error: {error}"))),
            Ok(_) => Err(Failure::new(format!("{what} of a missing object succeeded"))),
        }
    }
    let site = Site::fresh(place).await?;
    site.create("log/ffe", "a neighbour").await?;
    for name in ["log/fff", "log/ffe0", "log", "nothing/like/it"] {
        not_found("a GET", site.get(name).await)?;
        not_found("a ranged GET", site.get_range(name, GetRange::Bounded(0..10)).await)?;
        not_found("a HEAD", site.head(name).await)?;
    }
    check_eq!(site.names("").await?, ["log/ffe"]);
    Ok(())
}

/// A range gives exactly the bytes asked for, clipped at the end, and tells the size of the whole.
///
/// `GetRange::Suffix` is not asked for: Azure has no such request. The tail is read by offset.
pub(crate) async fn ranges_are_exact(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    let whole = body(1, 10_000);
    site.create("object", whole.clone()).await?;
    let table = [
        ("head", GetRange::Bounded(0..100), 0..100),
        ("first byte", GetRange::Bounded(0..1), 0..1),
        ("middle", GetRange::Bounded(5_000..5_100), 5_000..5_100),
        ("tail", GetRange::Bounded(9_900..10_000), 9_900..10_000),
        ("last byte", GetRange::Bounded(9_999..10_000), 9_999..10_000),
        ("across the end", GetRange::Bounded(9_900..20_000), 9_900..10_000),
        ("all", GetRange::Bounded(0..10_000), 0..10_000),
        ("from an offset", GetRange::Offset(9_000), 9_000..10_000),
        ("from the start", GetRange::Offset(0), 0..10_000),
    ];
    for (what, asked, expected) in table {
        let found = site.get_range("object", asked).await?;
        check_eq!(found.range, expected.start as u64..expected.end as u64, "range of the {what}");
        check_eq!(found.meta.size, 10_000, "size of the whole, told with the {what}");
        check!(found.bytes().await? == whole[expected], "wrong bytes in the {what}");
    }
    Ok(())
}

/// A range of which nothing exists is an error, and not the one of a missing object.
pub(crate) async fn a_range_beyond_the_end_is_an_error(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    site.create("object", body(1, 1_000)).await?;
    for range in [GetRange::Bounded(1_000..1_001), GetRange::Bounded(5_000..6_000), GetRange::Offset(1_000)] {
        match site.get_range("object", range.clone()).await {
            Ok(_) => return Err(Failure::new(format!("{range:?} of 1000 bytes was answered"))),
            Err(error) => check!(
                !matches!(error, Error::NotFound { .. }),
                "{range:?} of 1000 bytes was answered as if the object were missing: {error}"
            ),
        }
    }
    Ok(())
}
