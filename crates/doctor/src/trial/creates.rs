//! Put-if-absent, on which everything rests.

use bytes::Bytes;
use futures_util::future::join_all;
use object_store::Error;

use super::{Trial, failed};
use crate::Check;

pub(super) const NAME: &str = "put-if-absent";
pub(super) const RACED: &str = "its races";

/// How many create one name at the same time, and how often.
const CREATORS: usize = 16;
const ROUNDS: usize = 6;

const ELSEWHERE: &str =
    "keep the vault in a store that honours `If-None-Match: *`, and take away a proxy that drops it";

fn is_lost(error: &Error) -> bool {
    matches!(error, Error::AlreadyExists { .. } | Error::Precondition { .. })
}

impl Trial {
    /// The second create of a name has to be refused, and to change nothing.
    pub(super) async fn create_twice(&self) -> Check {
        let name = self.name("twice");
        if let Err(error) = self.create(&name, Bytes::from_static(b"first")).await {
            return failed(NAME, "create an object", &error);
        }
        let second = self.create(&name, Bytes::from_static(b"second")).await;
        match (second, self.get(&name).await) {
            (Ok(_), _) => {
                Check::danger(NAME, "a second create of one name was taken: writers would lose work", ELSEWHERE)
            }
            (Err(error), Ok(there)) if is_lost(&error) && there == "first" => {
                Check::good(NAME, "a second create of one name is refused")
            }
            (Err(_), Ok(there)) if there != "first" => {
                Check::danger(NAME, "a create that was refused has overwritten the object", ELSEWHERE)
            }
            (Err(error), Ok(_)) => failed(NAME, "create an object a second time", &error),
            (_, Err(error)) => failed(NAME, "read what was created", &error),
        }
    }

    /// Of many at once exactly one has to win, and its bytes have to be there.
    pub(super) async fn create_raced(&self) -> Check {
        for round in 0..ROUNDS {
            let name = self.name(&format!("race/{round}"));
            let bytes: Vec<_> = (0..CREATORS).map(|creator| Bytes::from(format!("creator {creator}"))).collect();
            let outcomes = join_all(bytes.iter().map(|bytes| self.create(&name, bytes.clone()))).await;
            let winners: Vec<_> =
                outcomes.iter().zip(&bytes).filter(|(outcome, _)| outcome.is_ok()).map(|(_, bytes)| bytes).collect();
            let doubt = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).find(|error| !is_lost(error));
            let there = match self.get(&name).await {
                Ok(there) => there,
                Err(error) => return failed(RACED, "read what was created", &error),
            };
            match (winners.as_slice(), doubt) {
                ([winner], _) if **winner == there => {}
                ([_], None) => {
                    return Check::danger(
                        RACED,
                        "one creator was told that it won, and another's bytes are there",
                        ELSEWHERE,
                    );
                }
                ([], None) => return Check::danger(RACED, "nobody won, and somebody's bytes are there", ELSEWHERE),
                ([_, _, ..], _) => {
                    let won = winners.len();
                    return Check::danger(
                        RACED,
                        format!(
                            "{won} of {CREATORS} creators of one name were told that they won: writers would lose work"
                        ),
                        ELSEWHERE,
                    );
                }
                // An answer that was lost leaves it open who won.
                (_, Some(error)) => return failed(RACED, "race for a name", error),
            }
        }
        Check::good(RACED, format!("{CREATORS} creators of one name, {ROUNDS} times: one won each"))
    }
}
