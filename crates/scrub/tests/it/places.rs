//! Places where a secret stands, whatever it looks like. What is to go is between ⟦ and ⟧.

use memoseal_scrub::{Policy, Scrubber};

/// Asserts that exactly what is marked goes.
#[track_caller]
fn goes(marked: &str) {
    let text = marked.replace(['⟦', '⟧'], "");
    let scrubbed = Scrubber::new(Policy::secrets()).unwrap().scrub(&text).unwrap();
    let mut shown = text.clone();
    for found in scrubbed.findings.iter().rev() {
        shown.insert(found.end, '⟧');
        shown.insert(found.start, '⟦');
    }
    assert_eq!(shown, marked, "{:?}", scrubbed.findings);
}

/// Asserts that nothing goes.
#[track_caller]
fn stays(text: &str) {
    goes(text);
}

#[test]
fn a_password_is_what_stands_behind_its_name() {
    goes("password = ⟦hunter2⟧");
    goes("DB_PASSWORD=⟦correcthorse⟧\nnext");
    goes("\"dbPassword\": \"⟦a b c⟧\",");
    goes("password: '⟦its⟧'");
    goes("let passwd: &str = \"⟦s3cret⟧\";");
    goes("  :password       => '⟦4you⟧',");
    goes("<password>⟦open sesame⟧</password>");
    goes("setProperty(\"db.password\", \"⟦Xk29fh⟧\")");
    goes("tool --password ⟦Xk29!fh⟧ --verbose");
    goes("the password is ⟦Xk29fh77⟧, said ada");
    goes("The DB password for staging is ⟦Winter2024!⟧ and the user is app");
    goes("the password for postgres@db1 is `⟦s3cr3t-x⟧`");
    goes("| password | ⟦hunter2⟧ |");
    goes("passphrase: ⟦correct horse battery staple⟧\nnext");
    goes("Server=db;Uid=me;Pwd=⟦myPassword⟧;Database=x;");
    goes("password := ⟦m{{h}o)p${e]nob(ody[finds>-_$#thisone}}⟧");
    goes("mysql://db/x?user=me&password=⟦abc123⟧&ssl=1");
}

#[test]
fn a_secret_that_machines_make_looks_like_it() {
    goes("api_key: ⟦9f8a7s6d5f4g3h2j1k0l⟧");
    goes("\"clientSecret\" => \"⟦kpumqgkgmyjjtt1rmggr68ba⟧\"");
    goes("vendor_TOKEN ?= \"⟦tvf3lau00cfpj6kjwinmovea⟧\"");
    goes("<vendorToken>\n    ⟦jpvh91kj3znhsax5⟧\n</vendorToken>");
    goes("{\"a.ini\": \"VENDOR_TOKEN=⟦lkgtq9bbgmqb37p2gwgl⟧\\nB=true\"}");
    goes("vendorSECRET-⟦ABCD1234EFGH5678IJKL9012⟧");
    // Only a label makes a digest a secret.
    goes("token = ⟦5f4dcc3b5aa765d61d8327deb882cf99⟧");
    stays("etag = 5f4dcc3b5aa765d61d8327deb882cf99");
}

#[test]
fn names_code_prose_and_references_stay() {
    for text in [
        "password = get_password(user)",
        "self.password = password",
        "password: Option<String>,",
        "let token = parser.next_token();",
        "password: None",
        "password = ${DB_PASSWORD}",
        "password: {{ vault.password }}",
        "password = \"$PASSWORD\"",
        "token: <your-token>",
        "API_KEY=********",
        "secret = os.environ[\"SECRET\"]",
        "token = process.env.TOKEN",
        "The password must be at least twelve characters long.",
        "passphrase: must be as long as you like",
        "The password for staging is in the vault, see page 12.",
        "ssh key in ~/.ssh/id_ed25519, passphrase in 1Password",
        "Pass `size_of` as arguments, the key is in the door.",
        "next_page_token = \"page-two-of-three\"",
        "cache_key = \"user-profile-v2\"",
        "public_key = \"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\"",
        "pub const MAX_PASSWORD: u32 = 1109422304;",
        "fn load(key: u64, token: usize) -> Vec<Token> {",
        "if password == \"\" { return; }",
        "user_pass = '%s:%s' % (user, password)",
        "Self::AccessKey => \"azure_storage_account_key\",",
        "let of = |credential: AzureCredential| -> Provider {",
        "generate_private_key: x25519_generate_private_key,",
        "key = 1979-05-27T00:32:00-07:00",
    ] {
        stays(text);
    }
}

#[test]
fn what_memory_is_full_of_is_never_a_secret() {
    for text in [
        "commit 94709c3c7a398cee67ca6cdc491a8966d6ea140b",
        "checksum = \"0668b29543c25ba732b43ef17e41610fc73b28cb184ffa669cee50b8df104dbf\"",
        "integrity sha512-9NET910DNaIPngYnLLPeg+Ogzqsi9uM4mSboU5y6p8S5DzMTVEsJZrawi+BoDNUVBa2DhJqQYUFvMDfgU062LQ==",
        "trace_id=7bcc94cf94df555f25334613a6d60d4d span_id=7bcc94cf94df555f",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "arn:aws:iam::123456789012:role/deploy",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQk\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYI\n-----END PUBLIC KEY-----",
        "version 1.2.3-rc.1, 2026-11-30T10:00:00Z, host db-7.internal.example.com",
        "git clone git@github.com:acme/app.git",
        "\"jsonwebtoken\": \"^10.0.12-beta.1\", \"@acme/api-key\": \"workspace:^1.0.0\"",
        "github.com/acme/token v0.0.0-20210921155107-089bfa567519 h1:m21LjoU+eqJr34lmDMbreY2eSTRJ1cv77w39/MY0Ch0=",
        "  - secret-manager=2.1.0=py311h06a4308_0",
        "public key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
        "key: 94709c3c7a398cee67ca6cdc491a8966d6ea140b",
    ] {
        stays(text);
    }
}

#[test]
fn a_url_keeps_its_user_and_its_host() {
    goes("postgres://app:⟦p4ss/w0rd⟧@db.corp.dev:5432/x");
    goes("mongodb+srv://app:⟦my@pass⟧@cluster0.corp.dev/x?w=1");
    goes("url = \"postgres://app:⟦m4 p! o@2wd⟧@db.corp.dev/x\"");
    goes("ftp://user:⟦pass⟧@example.com");
    goes("https://⟦Zx81kd92ks83jd72hs61⟧@git.corp.dev/a.git");
    stays("https://user:${PASSWORD}@corp.dev/");
    stays("https://corp.dev:8443/a@b");
    stays("see https://corp.dev/@user/profile");
}

#[test]
fn headers_commands_and_files_of_programs() {
    goes("Authorization: Basic ⟦QWxhZGRpbjpvcGVuIHNlc2FtZQ==⟧");
    goes("-H 'Authorization: Bearer ⟦k29dk20dk29dk2kd0⟧' https://corp.dev");
    stays("Authorization: Bearer ${TOKEN}");
    goes("curl -u me:⟦hunter2⟧ https://corp.dev");
    goes("curl -s \\\n  --user 'me:⟦hunter 2⟧' https://corp.dev");
    stays("curl -u \"$USER:$PASSWORD\" https://corp.dev");
    goes("machine corp.dev login me password ⟦xyz⟧");
    goes("sshpass -p ⟦xyz⟧ ssh me@corp");
    goes("kind: Secret\nmetadata:\n  name: a\ndata:\n  user: ⟦YWRtaW4=⟧\n  ca: ⟦c29tZXRoaW5n⟧\nother: x");
    stays("kind: ConfigMap\ndata:\n  user: YWRtaW4=");
}

#[test]
fn a_private_key_goes_as_a_whole_also_without_its_end() {
    let begin = format!("-----BEGIN {} PRIVATE KEY-----", "EC");
    let end = format!("-----END {} PRIVATE KEY-----", "EC");
    let body = "MHcCAQEEIBkg9s2pQ7n0rQJrT3mC\nAoGCCqGSM49AwEHoUQDQgAE\nsx8=";
    goes(&format!("a\n⟦{begin}\n{body}\n{end}⟧\nb"));
    goes(&format!("a\n⟦{begin}\n{body}⟧\n\nplain words follow"));
    goes(&format!("{{\"key\": \"⟦{begin}\\nMHcCAQEEIBkg\\n{end}⟧\\n\"}}"));
    let scrubbed = Scrubber::new(Policy::secrets()).unwrap();
    let text = format!("{begin}\r\n{}\r\n{end}\r\n", body.replace('\n', "\r\n"));
    let line = "[REDACTED:private-key]\r\n";
    assert_eq!(scrubbed.scrub(&text).unwrap().text, line.repeat(5));
}

#[test]
fn a_token_of_json_is_one_if_its_header_says_so() {
    let token = |header: &str| format!("{header}.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl");
    goes(&format!("see ⟦{}⟧ there", token("eyJhbGciOiJIUzI1NiJ9")));
    stays(&token("eyJhIjoxfQabcdefgh"));
}

#[test]
fn a_disguise_hides_nothing_and_goes_with_the_value() {
    let tail = "A7b9C2d4E6f8G1h3J5k7L9m2N4p6Q8r1S3t5";
    let (head, rest) = tail.split_at(18);
    for disguised in [
        format!("gh\u{200c}p_{tail}"),
        format!("ghp_{head}\u{ad}{rest}"),
        format!("gh\u{440}_{tail}"),
        format!("ghp&#95;{tail}"),
        format!("ghp\\_{tail}"),
        format!("ghp%5F{tail}"),
        format!("\\u0067hp_{tail}"),
        format!("ghp_**{tail}"),
        format!("ghp_{head}\" + \"{rest}"),
    ] {
        goes(&format!("see \"⟦{disguised}⟧\" here"));
    }
    goes(&format!("see ⟦ghp_{head}\n{rest}⟧ here"));
    // Base64 of "token=ghp_…", once and twice.
    let encode = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    let once = encode(&format!("token=ghp_{tail}"));
    goes(&format!("blob: ⟦{once}⟧."));
    goes(&format!("blob: ⟦{}⟧.", encode(&once)));
    let hex: String = format!("ghp_{tail}").bytes().map(|byte| format!("{byte:02x}")).collect();
    goes(&format!("blob: ⟦{hex}⟧."));
    stays(&format!("blob: {}.", encode("nothing to see in here, move along")));
}

#[test]
fn a_documented_sample_stays_unless_it_is_asked_for() {
    let sample = format!("{}{}EXAMPLE", "AKIA", "IOSFODNN7");
    let scrub = |policy: Policy| Scrubber::new(policy).unwrap().scrub(&sample).unwrap().findings.len();
    assert_eq!(scrub(Policy::secrets()), 0);
    assert_eq!(scrub(Policy { no_default_allowlist: true, ..Policy::secrets() }), 1);
}

#[test]
fn a_comment_that_allows_has_no_effect() {
    goes("password = ⟦hunter2⟧ # gitleaks:allow");
    goes("password = ⟦hunter2⟧ # pragma: allowlist secret");
}

#[test]
fn a_placeholder_is_no_cover_for_what_stands_beside_it() {
    goes("password = [REDACTED:password]⟦hunter2⟧");
    stays("password = [REDACTED:password]");
    stays("token: \"[REDACTED:generic-secret]\"");
}

#[test]
fn a_service_names_its_keys_even_where_they_look_like_digests() {
    let (hex, uuid) = ("1f3870be274f6c49b3e31a0c6728957f", "3f2b8c1d-9e47-4a60-b5d2-7c18e9f0a634");
    for service in ["tomtom", "zenkit", "TIINGO"] {
        for value in [hex, uuid, "k9Xv2mQ8wLr5Tn3Zp7Yb"] {
            for text in [
                format!("{service} SECRET ⟦{value}⟧"),
                format!("{service}PRIVATE-⟦{value}⟧"),
                format!("{service}ACCESS key ⟦{value}⟧"),
                format!("{service} some KEY of ours: \"⟦{value}⟧\""),
                format!("{service}_api=⟦{value}⟧"),
                format!("{service}\nTOKEN\n⟦{value}⟧\n"),
            ] {
                goes(&text);
            }
            stays(&format!("bump {service} to {hex}"));
        }
        goes(&format!("{service}=⟦{uuid}⟧"));
        stays(&format!("  {service}: {hex}"));
        stays(&format!("https://{service}.com/key/{hex}"));
        stays(&format!("{service} key 1.2.3, {service} token 2026-11-30T10:00:00Z"));
    }
    goes("vendorACCESS ⟦1f3870be274f6c49b3e31a0c6728957f⟧");
    goes("vendorPRIVATEkey-⟦ABCD1234EFGH5678IJKL9012⟧");
    stays("the object KEY 1f3870be274f6c49b3e31a0c6728957f of it");
}
