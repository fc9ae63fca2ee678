import { rows, type CorpusTables } from './secretCorpus';

/** Written after the rules, and not looked at while they were made: other lengths, separators, names and languages. */
const FORMS = `
sk-ant-api04-{t108}
sk-proj-{t156}
sk-{a51}
ghp_{a40}
github_pat_{a30}_{a70}
glpat-{t32}
AKIA{u16}
xoxb-{d13}-{d14}-{a30}
xapp-2-A{u11}-{d12}-{h60}
https://hooks.slack.com/services/T{u10}/B{u9}/{a22}
AIza{t35}
GOCSPX-{t32}
ya29.a0{t200}
sk_test_{a40}
rk_live_{a60}
whsec_{b44}
npm_{a40}
hf_{a40}
SG.{t20}.{t50}
eyJ{a20}.eyJ{t60}.{t86}
gsk_{a48}
dckr_pat_{t30}
hvs.{t28}
shpat_{h32}
dapi{h32}
AGE-SECRET-KEY-1{u58}
https://discord.com/api/webhooks/{d17}/{t60}
glrt-{t26}
-----{BEGIN} EC PRIVATE KEY-----\\n{b64}\\n{b44}\\n-----{END} EC PRIVATE KEY-----
-----{BEGIN} ENCRYPTED PRIVATE KEY-----\\n{b76}\\n{b76}\\n{b10}\\n-----{END} ENCRYPTED PRIVATE KEY-----
`;

const NAMED = `
STAGING_DB_PASSWD {s9}
MONGO_PASSWORD {a22}
ELASTIC_PASSWORD {t20}
GRAFANA_ADMIN_PASSWORD {s6}{d4}
VAULT_TOKEN {a26}
CI_JOB_TOKEN {t20}
SLACK_SIGNING_SECRET {h32}
NEXTAUTH_SECRET {b43}=
DJANGO_SECRET_KEY {a50}
COOKIE_SECRET {a32}
MAPBOX_SECRET_TOKEN {t60}
AZURE_OPENAI_API_KEY {h32}
MISTRAL_API_KEY {a32}
DEEPSEEK_API_KEY {a32}
OPENWEATHER_API_KEY {h32}
SUPABASE_SERVICE_ROLE_KEY {t120}
SNOWFLAKE_PASSWORD {a10}!{a3}
RABBITMQ_DEFAULT_PASS {s11}
MINIO_SECRET_KEY {a40}
ACCOUNT_PASSWORD {s4}.{s5}.{d2}
KAFKA_SASL_PASSWORD {b64}
LDAP_BIND_PASSWORD {a9}
`;

const LINES = `
curl --proxy-user eve:@@ https://proxy.example.org := {a10}
curl "https://api.example.org/v2/list?api_key=@@&limit=5" := {h32}
curl -H "x-auth-token: @@" https://api.example.org := {a28}
http -a eve:@@ https://api.example.org/users := {s9}
mariadb -ueve -p@@ -h 10.1.2.3 := {a13}
podman login -u eve -p @@ quay.example.org := {a16}
./tool --db-password=@@ --verbose := {s10}
./tool --secret-key "@@" := {a30}
./tool -password @@ := {a9}
mysql://eve:@@@db.example.org/app := {s8}
sftp://eve:@@@files.example.org := {a7}{d2}
rediss://default:@@@cache.example.org:6380 := {a24}
jdbc:postgresql://db.example.org/app?user=eve&password=@@ := {s10}
jdbc:sqlserver://db.example.org;user=eve;password=@@;encrypt=true := {a11}
postgresql+asyncpg://eve:@@@db.example.org/app := {s14}
  password: "@@" := {s8}
passwd = @@ := {a12}
db.password = "@@" := {s10}
let apiKey = "@@"; := {a24}
private static final String TOKEN = "@@"; := {a32}
$password = '@@'; := {s9}
PASSWORD => '@@', := {s9}
:password => "@@", := {s9}
config.secret_key_base = '@@' := {h128}
var dbPassword string = "@@" := {s10}
<add key="DbPassword" value="@@" /> := {a12}
<property name="password" value="@@"/> := {a12}
Passwort: @@ := {a10}
contraseña: @@ := {a10}
пароль: @@ := {a10}
密码：@@ := {a10}
mot de passe : @@ := {a10}
senha=@@ := {a10}
echo "@@" | docker login -u eve --password-stdin := {a20}
setx API_TOKEN "@@" := {a24}
$env:API_TOKEN = "@@" := {a24}
set PGPASSWORD=@@ := {s10}
ENV DB_PASSWORD=@@ := {s10}
- DB_PASSWORD=@@ := {s10}
ARG NPM_TOKEN=@@ := {a36}
kubectl create secret generic db --from-literal=password=@@ := {s10}
terraform apply -var db_password=@@ := {s10}
ansible-playbook site.yml -e ansible_become_pass=@@ := {s10}
sudo -S <<< @@ := {a10}
My password is @@, please keep it. := {a11}
The api key for staging is @@ := {a30}
`;

/** Forms that the rules were not made with. */
export const HELD_OUT_FORMS: CorpusTables = { forms: rows(FORMS), named: rows(NAMED), lines: rows(LINES) };
