//! Listings: in order, whole, and from an offset.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStore;

use super::{MOST_LISTED, Trial, failed};
use crate::Check;

pub(super) const NAME: &str = "listing order";

/// How many names, beside those that are hard to order.
const NAMES: u64 = 40;

impl Trial {
    pub(super) async fn order(&self) -> Check {
        // As commits are named, newest first, with what stands beside them; not written in their order.
        let mut names: Vec<_> = (1..=NAMES)
            .map(|n| {
                let n = format!("{:016x}", u64::MAX - n * 1999);
                let (folder, file) = n.split_at(13);
                self.name(&format!("order/{folder}/{file}"))
            })
            .collect();
        names.push(self.name("order/fffffffffffff/fff.checkpoint"));
        names.push(self.name("order/fffffffffffff/fff"));
        names.push(self.name("order/fffffffffffff.a"));
        names.sort();
        let mut writing =
            stream::iter(names.iter().rev()).map(|name| self.put(name, Bytes::from_static(b"x"))).buffer_unordered(8);
        while let Some(written) = writing.next().await {
            if let Err(error) = written {
                return failed(NAME, "write what is to be listed", &error);
            }
        }
        drop(writing);

        let below = self.name("order");
        let listed = self.backend.rest().list(Some(&below)).take(MOST_LISTED);
        let listed = listed.map_ok(|meta| meta.location).try_collect::<Vec<_>>().await;
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => return failed(NAME, "list", &error),
        };
        let mut sorted = listed.clone();
        sorted.sort();
        if sorted != names {
            let (found, all) = (listed.len(), names.len());
            let found = format!("{found} names were listed of {all} that had just been written");
            return Check::danger(NAME, found, "keep the vault elsewhere: a commit that is not listed is overlooked");
        }
        if listed != names {
            let todo = "keep the vault elsewhere; of S3's buckets, the general purpose ones list in order";
            return Check::danger(
                NAME,
                "names are not listed in order: a vault's newest commit would not be found",
                todo,
            );
        }
        let Some((offset, after)) = names.get(names.len() / 2).zip(names.get(names.len() / 2 + 1..)) else {
            return Check::good(NAME, "in order");
        };
        let rest = self.backend.rest().list_with_offset(Some(&below), offset).take(MOST_LISTED);
        match rest.map_ok(|meta| meta.location).try_collect::<Vec<_>>().await {
            Ok(rest) if rest == after => {
                Check::good(NAME, format!("{} names in order, from an offset too", names.len()))
            }
            Ok(_) => Check::danger(NAME, "a listing from an offset gives other names", "keep the vault elsewhere"),
            Err(error) => failed(NAME, "list from an offset", &error),
        }
    }
}
