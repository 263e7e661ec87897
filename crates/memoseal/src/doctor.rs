//! Whether a place can hold a vault.

use memoseal_core::{Backend, Result};
use memoseal_doctor::{Check, Grade, Provider, Trial};

/// A look at a place. [`run`](Self::run) and then, in any case, [`clean_up`](Self::clean_up).
pub struct Doctor {
    provider: Box<dyn Provider>,
    trial: Trial,
}

impl std::fmt::Debug for Doctor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Doctor").field("trial", &self.trial).finish_non_exhaustive()
    }
}

/// Looks whether the place at `url` can hold a vault, and what endangers it there. Needs no key. Nothing is sent yet.
///
/// # Errors
/// [`Error::NotFound`](crate::Error::NotFound) if a folder is not there; [`Error::Invalid`](crate::Error::Invalid) for a URL that no backend of this
/// build serves.
pub fn doctor(url: &str) -> Result<Doctor> {
    let (backend, provider): (Backend, Box<dyn Provider>) = crate::place::inspect(&crate::parse_url(url)?)?;
    let trial = Trial::new(&backend, provider.permissions())?;
    Ok(Doctor { provider, trial })
}

impl Doctor {
    /// Looks at everything, and tells each answer when it is there: what can be tried on any store, below a throw-away prefix
    /// (about 400 requests), and what only the provider knows. It may be dropped at any moment.
    pub async fn run(&self, tell: &mut (impl FnMut(Check) + Send)) {
        let reach = self.provider.reach().await;
        let is_out_of_reach = reach.iter().any(|check| check.grade == Grade::Danger && check.name != "access");
        reach.into_iter().for_each(&mut *tell);
        if is_out_of_reach {
            let todo = "mend what is out of reach first";
            tell(Check::not_checked("everything else", "the place cannot be used like this", todo));
            return;
        }
        self.trial.run(tell).await;
        self.provider.settings().await.into_iter().for_each(tell);
    }

    /// Deletes what [`run`](Self::run) has written.
    pub async fn clean_up(&self) -> Check {
        let cleaned = self.trial.clean_up().await;
        match self.provider.tidy(self.trial.place()) {
            Ok(()) => cleaned,
            Err(error) => Check::warning(
                cleaned.name,
                format!("empty folders are left: {error}"),
                format!("remove {}", self.trial.place()),
            ),
        }
    }
}
