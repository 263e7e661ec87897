//! The rule file as it is written. Fields that are not known are ignored, as gitleaks does.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct File {
    #[serde(default)]
    pub(super) extend: Option<Extend>,
    #[serde(default)]
    pub(super) rules: Vec<RuleEntry>,
    #[serde(default)]
    pub(super) allowlist: Option<AllowEntry>,
    #[serde(default)]
    pub(super) allowlists: Vec<AllowEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Extend {
    #[serde(default)]
    pub(super) path: Option<String>,
    #[serde(default)]
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) disabled_rules: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleEntry {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) regex: Option<String>,
    #[serde(default)]
    pub(super) path: Option<String>,
    #[serde(default)]
    pub(super) secret_group: usize,
    #[serde(default)]
    pub(super) entropy: f64,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pub(super) allowlist: Option<AllowEntry>,
    #[serde(default)]
    pub(super) allowlists: Vec<AllowEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AllowEntry {
    #[serde(default)]
    pub(super) condition: Option<String>,
    #[serde(default)]
    pub(super) commits: Vec<String>,
    #[serde(default)]
    pub(super) paths: Vec<String>,
    #[serde(default)]
    pub(super) regexes: Vec<String>,
    #[serde(default)]
    pub(super) regex_target: Option<String>,
    #[serde(default)]
    pub(super) stopwords: Vec<String>,
    #[serde(default)]
    pub(super) target_rules: Vec<String>,
}
