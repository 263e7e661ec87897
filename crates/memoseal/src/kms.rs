//! Keys in AWS KMS: wherever the vault lies, with the feature `s3`.

use std::sync::Arc;

use memoseal_core::{Error, Result, key_service::KeyService};

/// A key in AWS KMS, by its ARN, for the vault at `vault`: [`Key::Service`](crate::Key::Service) of it opens the vault, or
/// makes it. Nothing is sent before it is used.
///
/// Credentials are found as the backend for S3 finds them; where the vault's URL is one of S3 with a profile, that profile is
/// asked.
///
/// # Errors
/// [`Error::Invalid`] if the ARN is not that of a key, if this build has no KMS, or for what is no URL.
pub fn kms(arn: &str, vault: &str) -> Result<Arc<dyn KeyService>> {
    let vault = crate::parse_url(vault)?;
    #[cfg(feature = "s3")]
    {
        let is_s3 = vault.scheme() == "s3";
        let profile = vault.query_pairs().find(|(name, _)| is_s3 && name == "profile").map(|(_, value)| value);
        let kms = memoseal_s3::Kms::new(arn, profile.as_deref(), |name| std::env::var(name).ok());
        Ok(Arc::new(kms.map_err(|error| Error::Invalid(error.to_string()))?))
    }
    #[cfg(not(feature = "s3"))]
    {
        let _ = (arn, vault);
        Err(Error::Invalid("cannot use a KMS key: this build has no KMS: build memoseal with the feature `s3`".into()))
    }
}
