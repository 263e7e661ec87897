//! Put-if-absent: the compare-and-swap that the log stands on.

use std::sync::Arc;

use futures_util::future;
use tokio::sync::Barrier;

use super::site::{Site, body, is_refusal};
use crate::{Failure, Place, check, check_eq};

const CREATORS: u32 = 16;
const RACES: u32 = 20;

/// Sixteen at once, twenty times: each time one wins, the others are told so, and the winner's bytes are there.
pub(crate) async fn create_raced_by_sixteen_is_won_by_one(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    for race in 0..RACES {
        let name = format!("log/{race:013x}/fff");
        let start = Arc::new(Barrier::new(CREATORS as usize));
        let creators = (0..CREATORS).map(|creator| {
            let (site, name, start) = (site.clone(), name.clone(), Arc::clone(&start));
            tokio::spawn(async move {
                let body = body(creator, 2_000);
                start.wait().await;
                site.create(&name, body).await
            })
        });
        let mut winners = Vec::new();
        for (creator, answer) in (0..).zip(future::try_join_all(creators).await?) {
            match answer {
                Ok(()) => winners.push(creator),
                Err(error) => check!(is_refusal(&error), "race {race}: creator {creator} got another error: {error}"),
            }
        }
        check!(winners.len() == 1, "race {race}: {} creators were told that they won", winners.len());
        check!(site.get(&name).await? == body(winners[0], 2_000), "race {race}: not the winner's bytes");
    }
    Ok(())
}

/// Whoever comes later is refused, whichever way the object came there, and changes nothing.
pub(crate) async fn create_of_an_existing_object_is_refused(place: &dyn Place) -> Result<(), Failure> {
    let site = Site::fresh(place).await?;
    site.create("created", "first").await?;
    site.put("put", "first").await?;
    for name in ["created", "put"] {
        for second in ["second", "first", ""] {
            match site.create(name, second).await {
                Ok(()) => return Err(Failure::new(format!("a second create of {name} succeeded"))),
                Err(error) => check!(is_refusal(&error), "a second create of {name} got another error: {error}"),
            }
            check_eq!(site.get(name).await?, "first", "{name} after a create that was refused");
        }
    }
    Ok(())
}
