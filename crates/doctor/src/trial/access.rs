//! What these credentials may do.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::{Error, ObjectStore, ObjectStoreExt};

use super::{MOST_LISTED, Trial, one_line};
use crate::Check;

/// What was found to be allowed.
pub(super) struct Can {
    pub(super) put: bool,
    pub(super) get: bool,
    pub(super) list: bool,
    pub(super) delete: bool,
}

impl Trial {
    /// Put, get, list, delete, and what a missing object is answered with.
    pub(super) async fn access(&self, tell: &mut (impl FnMut(Check) + Send)) -> Can {
        let (name, bytes) = (self.name("access"), Bytes::from_static(b"memoseal doctor"));
        let wants = self.permissions;
        let mut can = Can { put: false, get: false, list: false, delete: false };

        let put = self.put(&name, bytes.clone()).await;
        can.put = put.is_ok();
        tell(match put {
            Ok(_) => Check::good("put", "objects can be written"),
            Err(error) => denied("put", &error, "nothing can be written", wants.put),
        });

        if can.put {
            let got = self.get(&name).await;
            can.get = got.as_ref().is_ok_and(|got| *got == bytes);
            tell(match got {
                Ok(got) if got == bytes => Check::good("get", "objects can be read"),
                Ok(_) => Check::danger("get", "an object was read back with other bytes", "keep the vault elsewhere"),
                Err(error) => denied("get", &error, "nothing can be read", wants.get),
            });
        } else {
            tell(Check::not_checked("get", "nothing can be written to be read", format!("allow {}", wants.put)));
        }

        let listed = self.backend.rest().list(Some(&self.place)).take(MOST_LISTED).try_collect::<Vec<_>>().await;
        can.list = listed.is_ok();
        tell(match listed {
            Ok(found) if found.len() == MOST_LISTED => {
                can.list = false;
                Check::danger("list", "a listing of a few objects does not end", "keep the vault elsewhere")
            }
            Ok(found) if !can.put || found.iter().any(|meta| meta.location == name) => {
                Check::good("list", "objects can be listed")
            }
            Ok(_) => {
                can.list = false;
                Check::danger("list", "what was written is not listed", "keep the vault elsewhere")
            }
            Err(error) => denied("list", &error, "nothing can be listed", wants.list),
        });

        tell(match self.get(&self.name("missing")).await {
            Err(Error::NotFound { .. }) => Check::good("missing object", "answered as not found"),
            Err(Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) if !can.list => Check::danger(
                "missing object",
                "answered as forbidden, since these credentials may not list: nobody could tell whether a commit is there",
                format!("allow {}", wants.list),
            ),
            Err(error) => Check::danger("missing object", one_line(&error), format!("allow {}", wants.get)),
            Ok(_) => {
                Check::danger("missing object", "answered with bytes that nobody wrote", "keep the vault elsewhere")
            }
        });

        if !can.put {
            tell(Check::not_checked("delete", "nothing can be written to be deleted", format!("allow {}", wants.put)));
            return can;
        }
        let deleted = self.backend.rest().delete(&name).await;
        let gone = self.get(&name).await;
        can.delete = deleted.is_ok() && !can.get || matches!(gone, Err(Error::NotFound { .. }));
        tell(match (deleted, gone) {
            (Ok(()), Err(Error::NotFound { .. })) => Check::good("delete", "objects can be deleted"),
            (Ok(()), Err(_)) if !can.get => Check::good("delete", "objects can be deleted"),
            (Ok(()), _) => Check::warning(
                "delete",
                "what was deleted can still be read",
                "redaction would not be physical; keep the vault elsewhere if that matters",
            ),
            (Err(error), _) => Check::warning(
                "delete",
                format!("nothing can be deleted ({}): old checkpoints would keep redacted paths", one_line(&error)),
                format!("allow {}", wants.delete),
            ),
        });
        can
    }
}

/// A permission that is not there, or a store that does not work.
fn denied(name: &'static str, error: &Error, what: &str, wanted: &str) -> Check {
    let todo = match error {
        Error::PermissionDenied { .. } => format!("allow {wanted}"),
        Error::Unauthenticated { .. } => "check the credentials".to_owned(),
        Error::NotFound { .. } => "check that the bucket exists".to_owned(),
        _ => "mend that, and try again".to_owned(),
    };
    Check::danger(name, format!("{what}: {}", one_line(error)), todo)
}
