//! Forms in which secrets are written: what is between ⟦ and ⟧ goes, `␤` is a line end, `§` a token made up for each text.

use memoseal_scrub::{Policy, Scrubber};

/// Another token for each form, of letters of both cases and digits.
fn token(seed: u64) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..20)
        .map(|i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let pick = (state >> 33) as usize;
            if i % 3 == 1 { char::from(b'2' + (pick % 8) as u8) } else { char::from(LETTERS[pick % LETTERS.len()]) }
        })
        .collect()
}

#[track_caller]
fn all_go(forms: &[&str]) {
    let scrubber = Scrubber::new(Policy::secrets()).unwrap();
    let mut wrong = Vec::new();
    for (form, seed) in forms.iter().zip(1..) {
        let marked = form.replace('␤', "\n").replace('§', &token(seed));
        let mut shown = marked.replace(['⟦', '⟧'], "");
        let found = scrubber.scrub(&shown).unwrap().findings;
        for found in found.iter().rev() {
            shown.insert(found.end, '⟧');
            shown.insert(found.start, '⟦');
        }
        if shown != marked {
            wrong.push(format!("\n  want {marked:?}\n  got  {shown:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:{}", wrong.len(), forms.len(), wrong.concat());
}

#[test]
fn shells_and_containers() {
    all_go(&[
        r#"export ACME_API_KEY="⟦§⟧""#,
        "export ACME_API_KEY=⟦§⟧",
        "set ACME_TOKEN=⟦§⟧",
        r#"setx ACME_TOKEN "⟦§⟧" /M"#,
        r#"$env:ACME_TOKEN = "⟦§⟧""#,
        "$Env:DB_PASSWORD='⟦hunter2⟧'",
        r#"[Environment]::SetEnvironmentVariable("ACME_TOKEN", "⟦§⟧", "User")"#,
        "ENV ACME_TOKEN ⟦§⟧",
        "ENV ACME_TOKEN=⟦§⟧ OTHER=1",
        "ARG DB_PASSWORD=⟦hunter2pw⟧",
        "docker run -e POSTGRES_PASSWORD=⟦hunter2pw⟧ -d postgres",
        "docker run --env MYSQL_ROOT_PASSWORD=⟦hunter2pw⟧ mysql",
        "heroku config:set ACME_TOKEN=⟦§⟧ -a app",
        "      - POSTGRES_PASSWORD=⟦hunter2pw⟧",
        "      POSTGRES_PASSWORD: ⟦hunter2pw⟧",
        r#"    POSTGRES_PASSWORD: "⟦sup3r secret⟧""#,
        "fish: set -x ACME_TOKEN ⟦§⟧",
        "set -gx ACME_API_KEY '⟦§⟧'",
        "setenv ACME_API_KEY ⟦§⟧",
        "read -s PASSWORD",
        "ACME_API_KEY=⟦§⟧ ./run.sh",
        "ACME_API_KEY ⟦§⟧",
    ]);
}

#[test]
fn entries_of_lists_and_objects() {
    all_go(&[
        "- name: DB_PASSWORD␤  value: ⟦hunter2pw⟧",
        r#"- name: DB_PASSWORD␤  value: "⟦hunter2pw⟧""#,
        r#"        - name: ACME_TOKEN␤          value: "⟦§⟧""#,
        r#"{"name": "DB_PASSWORD", "value": "⟦hunter2pw⟧"}"#,
        r#"{"name":"ACME_TOKEN","value":"⟦§⟧"}"#,
        r#"{"Name": "ACME_TOKEN", "Type": "SecureString", "Value": "⟦§⟧"}"#,
        r#"{ "key": "api_key", "value": "⟦§⟧", "type": "string" }"#,
        "password: |␤  ⟦hunter2pw⟧",
        "password: >-␤  ⟦hunter2pw⟧",
        "api_key: !!str ⟦§⟧",
        "password: !unsafe '⟦hunter2pw⟧'",
    ]);
}

#[test]
fn markup_and_connection_strings() {
    all_go(&[
        r#"<add key="AcmeApiKey" value="⟦§⟧" />"#,
        r#"<add key="DbPassword" value="⟦hunter2pw⟧"/>"#,
        r#"<add name="Db" connectionString="Server=db;Database=x;User Id=sa;Password=⟦hunter2pw⟧;" />"#,
        r#"<property name="password" value="⟦hunter2pw⟧"/>"#,
        r#"<property name="hibernate.connection.password">⟦hunter2pw⟧</property>"#,
        r#"<entry key="api.token">⟦§⟧</entry>"#,
        "<apiKey>⟦§⟧</apiKey>",
        r#"<string name="acme_api_key">⟦§⟧</string>"#,
        "<key>AcmeApiKey</key>␤<string>⟦§⟧</string>",
        r#"<user username="admin" password="⟦hunter2⟧" roles="x"/>"#,
        r#"<input type="password" name="pw" value="⟦hunter2⟧">"#,
        r#""ConnectionStrings": { "Default": "Server=db;User Id=sa;Password=⟦Hunter2!pw⟧;Encrypt=true" }"#,
        "Data Source=db;Initial Catalog=x;User ID=sa;Password=⟦hunter2pw⟧",
        "AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=⟦C2y6yDjf5R0b0N8A7Cgv30VRDJIWEHLM4QDU5DE2nQ9nDuVTqobDb8mGGyPMbIZn⟧",
        "jdbc:sqlserver://db:1433;databaseName=x;user=sa;password=⟦hunter2pw⟧;",
        "jdbc:mysql://db:3306/x?user=root&password=⟦hunter2pw⟧",
        "spring.datasource.password=⟦hunter2pw⟧",
    ]);
}

#[test]
fn infrastructure() {
    all_go(&[
        r#"password = "⟦hunter2pw⟧""#,
        r#"  acme_token   = "⟦§⟧""#,
        r#"variable "acme_token" {␤  default = "⟦§⟧"␤}"#,
        r#"variable "db_password" {␤  type = string␤  default = "⟦hunter2pw⟧"␤}"#,
    ]);
}

#[test]
fn requests() {
    all_go(&[
        r#"curl -H "X-Api-Key: ⟦§⟧" https://api.corp.dev"#,
        "curl -H 'Authorization: Bearer ⟦§⟧' https://api.corp.dev",
        r#"curl -H "Authorization: Token ⟦§⟧" x"#,
        r#"curl -H "PRIVATE-TOKEN: ⟦§⟧" https://git.corp.dev"#,
        r#"curl -H "X-Auth-Token: ⟦§⟧" x"#,
        r#"curl "https://api.corp.dev/v1?api_key=⟦§⟧&x=1""#,
        r#"curl "https://api.corp.dev/v1?key=⟦§⟧""#,
        r#"curl -d "client_secret=⟦§⟧" x"#,
        r#"curl -d '{"password":"⟦hunter2⟧"}' x"#,
        "curl -u admin:⟦hunter2⟧ https://x",
        r#"curl --user "admin:⟦hunter2⟧" https://x"#,
        "curl -x http://u:⟦hunter2⟧@proxy:3128 https://x",
        "wget --user=admin --password=⟦hunter2⟧ https://x",
        "wget --http-password ⟦hunter2⟧ https://x",
        "X-Vault-Token: ⟦§⟧",
        "Proxy-Authorization: Basic ⟦dXNlcjpodW50ZXIy⟧",
    ]);
}

#[test]
fn source_code() {
    all_go(&[
        r#"api_key <- "⟦§⟧""#,
        "process.env.ACME_TOKEN || '⟦§⟧'",
        r#"const token = config.token ?? "⟦§⟧";"#,
        r#"client = Acme(api_key="⟦§⟧")"#,
        "const client = new AcmeClient({ apiKey: '⟦§⟧' });",
        r#"acme.SetToken("⟦§⟧")"#,
        r#"acme.setApiKey("⟦§⟧");"#,
        "Acme.api_key = '⟦§⟧'",
        r#"private static final String API_KEY = "⟦§⟧";"#,
        r#"const string ApiKey = "⟦§⟧";"#,
        r#"var apiKey = "⟦§⟧""#,
        r#"apiKey := "⟦§⟧""#,
        r#"let api_key: &str = "⟦§⟧";"#,
        r#"let apiKey: string = "⟦§⟧";"#,
        r#"static const char *API_KEY = "⟦§⟧";"#,
        r#"#define API_KEY "⟦§⟧""#,
        r#"#define WIFI_PASSWORD "⟦hunter2pw⟧""#,
        r#"const char* password = "⟦hunter2pw⟧";"#,
        "define('DB_PASSWORD', '⟦hunter2⟧');",
        "define( 'AUTH_KEY', '⟦§!x|z⟧' );",
        "$config['api_key'] = '⟦§⟧';",
        "'password' => env('DB_PASSWORD', '⟦hunter2pw⟧'),",
        r#"os.environ["ACME_TOKEN"] = "⟦§⟧""#,
        r#"os.environ.setdefault("ACME_TOKEN", "⟦§⟧")"#,
        r#"os.getenv("ACME_TOKEN", "⟦§⟧")"#,
        "process.env.ACME_TOKEN = '⟦§⟧'",
        r#"headers["X-Api-Key"] = "⟦§⟧""#,
        r#"headers = {"X-Api-Key": "⟦§⟧"}"#,
        r#"req.Header.Set("X-Api-Key", "⟦§⟧")"#,
        r#".header("x-api-key", "⟦§⟧")"#,
        r#"conn = psycopg2.connect(host="db", user="me", password="⟦hunter2⟧")"#,
        r#"new SqlConnection("Server=db;Password=⟦hunter2pw⟧")"#,
        r#"authenticate(username: "ada", password: "⟦hunter2⟧")"#,
        r#"NSString *apiKey = @"⟦§⟧";"#,
        r#"Sys.setenv(ACME_TOKEN = "⟦§⟧")"#,
        r#":api_key => "⟦§⟧""#,
        "api_key: ⟦§⟧,",
        r#"config :acme, api_key: "⟦§⟧""#,
        r#"(def api-key "⟦§⟧")"#,
        r#"val apiKey: String = "⟦§⟧""#,
        r#"private readonly apiKey = "⟦§⟧";"#,
        r#"password ||= "⟦hunter2pw⟧""#,
        r#"String pw="⟦hunter2pw⟧";"#,
        r#"if (password == "⟦Hunter2!pw⟧") {"#,
    ]);
}

#[test]
fn statements() {
    all_go(&[
        "CREATE USER app WITH PASSWORD '⟦hunter2⟧';",
        "ALTER USER app PASSWORD '⟦hunter2⟧';",
        "CREATE USER 'app'@'%' IDENTIFIED BY '⟦hunter2pw⟧';",
        "GRANT ALL ON *.* TO app@'%' IDENTIFIED BY '⟦hunter2pw⟧' WITH GRANT OPTION;",
        "CREATE LOGIN app WITH PASSWORD = '⟦Hunter2!⟧';",
        "SET PASSWORD FOR app = PASSWORD('⟦hunter2pw⟧');",
        "ALTER ROLE app WITH LOGIN PASSWORD '⟦hunter2⟧';",
        "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '⟦hunter2pw⟧';",
    ]);
}

#[test]
fn programs() {
    all_go(&[
        r#"ConvertTo-SecureString "⟦hunter2pw⟧" -AsPlainText -Force"#,
        "ConvertTo-SecureString -String '⟦hunter2pw⟧' -AsPlainText -Force",
        "sshpass -p '⟦hunter2⟧' ssh a@b",
        "mysql -u root -p⟦hunter2⟧ x",
        "mysql -uroot -p'⟦hunter2⟧' x",
        "mysqldump --password=⟦hunter2⟧ x",
        "PGPASSWORD=⟦hunter2⟧ psql -h db",
        r#"psql "host=db user=me password=⟦hunter2⟧ dbname=x""#,
        "redis-cli -a ⟦hunter2pw⟧ ping",
        "redis-cli -h r -p 6379 -a '⟦hunter2pw⟧'",
        "mongo --username ada --password ⟦hunter2⟧ x",
        "mongosh -u ada -p ⟦hunter2⟧ --authenticationDatabase admin",
        "docker login -u me -p ⟦hunter2pw⟧ reg",
        "docker login --password ⟦hunter2pw⟧ reg",
        "helm repo add x https://x --username u --password ⟦hunter2⟧",
        "az login --service-principal -u 123 -p ⟦hunter2pw⟧ --tenant x",
        "az login -u me@corp.dev -p ⟦hunter2pw⟧",
        r#"PsExec.exe \\srv -u CORP\me -p ⟦hunter2pw⟧ cmd"#,
        "Connect-VIServer -Server vc -User root -Password ⟦hunter2pw⟧",
        r#"Connect-VIServer vc -User "root" -Password "⟦hunter2pw⟧""#,
        "openssl rsa -passin pass:⟦hunter2pw⟧ -in x",
        "gpg --batch --passphrase ⟦hunter2pw⟧ -c x",
        "unzip -P ⟦hunter2pw⟧ x.zip",
        "keytool -storepass ⟦changeit1⟧ -keypass ⟦changeit1⟧",
        "java -Djavax.net.ssl.keyStorePassword=⟦changeit1⟧ -jar x",
        r#"ansible-playbook -e "ansible_become_pass=⟦hunter2pw⟧" x"#,
        "svn co --username me --password ⟦hunter2⟧ x",
        "rclone: pass = ⟦hunter2pw⟧",
        "ldapsearch -x -D cn=admin -w ⟦hunter2pw⟧ -b dc=x",
        "machine x.corp.dev login me password ⟦hunter2pw⟧",
        "machine x.corp.dev␤  login me␤  password ⟦hunter2pw⟧",
        "//registry.npmjs.org/:_authToken=⟦§⟧",
        "[default]␤aws_access_key_id = ⟦AKIAQ4Z7KX2M9PLW5RTY⟧␤aws_secret_access_key = ⟦wJ3rXtn7EMIoK2MDxGbPqRfZiCYzWkLp9AbcD1eF⟧",
    ]);
}

#[test]
fn notes_and_chats() {
    all_go(&[
        "The API key is ⟦§⟧.",
        "the api key for acme: ⟦§⟧",
        "my token is ⟦§⟧, please use it",
        "here's the token: ⟦§⟧",
        "Use the key ⟦§⟧ for staging",
        "use key=⟦§⟧",
        "Password: ⟦hunter2⟧",
        "password is ⟦hunter2!⟧",
        "username: ada, password: ⟦hunter2⟧",
        "user: root pass: ⟦hunter2⟧",
        r#"The wifi password is "⟦hunter2pw⟧""#,
        "the password to the db is ⟦Hunter2!x⟧",
        "pw: ⟦hunter2⟧",
        "Passwort: ⟦Hunter2⟧",
        "contraseña: ⟦hunter2⟧",
        "mot de passe : ⟦Hunter2⟧",
        "senha: ⟦hunter2⟧",
        "пароль: ⟦hunter2⟧",
        "密码：⟦hunter2⟧",
        "密码: ⟦hunter2⟧",
        "パスワード: ⟦hunter2⟧",
        "| API key | ⟦§⟧ |",
        "- **API key**: `⟦§⟧`",
        "* API Key - ⟦§⟧",
        "API key:␤⟦§⟧",
        "API key:␤␤    ⟦§⟧",
        "### API key␤␤⟦§⟧",
        "API Key␤⟦§⟧",
        "Client secret␤⟦§⟧",
        "Token:␤```␤⟦§⟧␤```",
        "Your new API key has been created: ⟦§⟧",
        "bearer ⟦§⟧",
        r#"token "⟦§⟧""#,
        "(token ⟦§⟧)",
    ]);
}

#[test]
fn what_only_looks_like_such_a_form_stays() {
    all_go(&[
        "API key␤> ,␤",
        r#"user.password || "anonymous""#,
        "if token || other.token {",
        "ConvertTo-SecureString $text -AsPlainText -Force",
        "- name: DB_PASSWORD␤  valueFrom: x",
        r#"{"name": "token", "value": "page-two-of-three"}"#,
        r#"{"key": "api_key", "type": "string", "default": null}"#,
        r#"<add key="TokenProvider" value="Acme.Auth.JwtTokenProvider, Acme.Auth" />"#,
        r#"variable "db_password" {␤  type = string␤  sensitive = true␤}"#,
        r#"t.pass("tests/ui/pass/*.rs");"#,
        r#"expect_token("some-token", "2021-12-25T21:30:00Z")"#,
        r#"set_key("user-profile-v2")"#,
        "the program identified by 'sequence' and the rest",
        "x-amz-security-token␤e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "API keys␤are rotated every 90 days",
        "senha e usuário são obrigatórios",
        "key: |␤  echo hello␤",
    ]);
}
