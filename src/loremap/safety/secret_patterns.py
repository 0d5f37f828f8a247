"""The makes of keys people have, as data: what each looks like and what must stand in the text."""

from __future__ import annotations

from typing import NamedTuple


class Make(NamedTuple):
    """One make of key: its type, its RE2 pattern, and words of which one must occur in the text.

    The last group of the pattern is the secret. `body` is the pattern without what must stand
    before and after. A `loose` pattern also fits words, so what it finds must look random.
    """

    type: str
    pattern: str
    body: str
    hints: tuple[bytes, ...]
    loose: bool


_LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,8}m)"
"""No letter or digit before a key, but for an escaped line break, a URL escape or a colour code."""
_RIGHT = r"(?:[^A-Za-z0-9]|$)"

_SHORTHAND = {
    "%a": "[A-Za-z0-9]",
    "%w": "[A-Za-z0-9_-]",
    "%h": "[0-9a-f]",
    "%u": "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
    "%near": r"[^\n]{0,30}?[^A-Za-z0-9_]",
}

# A row is type, hints, pattern. A type that ends in ~ is loose. In a pattern a leading < wants no
# letter or digit before the key and a trailing > none after it. An indented line goes on with the
# pattern above it. Least lengths lie a little below what the issuer makes, so a key cut short is
# still caught.
_CLOUDS = r"""
aws-access-key       akia,asia,abia,acca,a3t  <(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}>
aws-secret-key~      secret,aws   (?i:secret|aws)[A-Za-z_ -]{0,24}[^A-Za-z0-9/+\n]{1,8}
    ([A-Za-z0-9/+]{40})>
aws-secret-key~      akia,asia    A[KS]IA[A-Z0-9]{16}[^A-Za-z0-9/+]{1,8}([A-Za-z0-9/+]{40})>
aws-bedrock-key      absk         <ABSK[A-Za-z0-9+/]{60,}={0,2}
aws-bedrock-key      bedrock-api-key-  bedrock-api-key-[A-Za-z0-9+/=_-]{20,}
google-api-key       aiza         AIza%w{30,}
google-oauth         gocspx-      GOCSPX-%w{20,}
google-oauth         ya29.        <ya29\.[A-Za-z0-9_.-]{20,}
google-oauth         1//0         <1//0%w{30,}
azure-key            key,secret   (?i:AccountKey|SharedAccessKey|SharedSecret)\s{0,3}=\s{0,3}
    ([A-Za-z0-9+/]{30,}={0,2})
azure-key            q~           <[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}
azure-key            sig=         [?&;](?i:sig)=([A-Za-z0-9%+/=_-]{30,})
aws-signature        x-amz-       X-Amz-(?:Signature|Security-Token)=([A-Za-z0-9%+/=_-]{32,})
alibaba-key          ltai         <LTAI%a{12,26}>
yandex-key~          aqvn,yc,y0_,y1_,y2_,y3_  <(?:AQVN%w{35,38}|YC%w{38}|y[0-3]_%w{50,})>
yandex-key           t1.          <t1\.%w{3,200}={0,2}\.%w{80,}
digitalocean-token   _v1_         do[opr]_v1_[a-f0-9]{40,}
heroku-key           hrku-        HRKU-%w{30,}
heroku-key           heroku       (?i:heroku)%near(%u)>
fly-token            fo1_,fm1,fm2  <(?:fo1_%w{40,}|fm[12][ar]?_[A-Za-z0-9+/=,_-]{60,})
cloudflare-key       v1.0-        <v1\.0-%h{24}-%h{100,}
cloudflare-key~      cloudflare   (?i:cloudflare)%near(%w{37,40})>
netlify-token        nfp_         nfp_%a{30,}
vercel-token         vcp_,vck_,vci_,vca_,vcr_  <vc[pkiar]_%a{24,}
supabase-key         sbp_,sb_secret_  sb(?:p_|_secret_)%w{20,}
planetscale-key      pscale_      pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{20,}
scalingo-token       tk-us-       tk-us-%w{40,}
tailscale-key        tskey-       tskey-[a-z]{2,12}-%w{16,}
openshift-token      sha256~      sha256~%w{30,}
"""
_CODE = r"""
github-token         ghp_,gho_,ghu_,ghs_,ghr_  gh[pousr]_[A-Za-z0-9_]{30,}
github-token         github_pat_  github_pat_[A-Za-z0-9_]{30,}
gitlab-token         gl           <gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt|rtr|ffct)-
    [A-Za-z0-9_.=-]{18,}
gitlab-token         gr1348941    GR1348941%w{20,}
gitlab-token         _gitlab_session  _gitlab_session=(%h{32})
atlassian-token      atatt3,atctt3  AT(?:ATT|CTT)3[A-Za-z0-9+/=_-]{60,}
bitbucket-token      atbb         ATBB[A-Za-z0-9=_-]{28,}
npm-token~           npm_         npm_%a{30,}
pypi-token~          pypi-        pypi-%w{30,}
rubygems-key         rubygems_    rubygems_%h{40,}
nuget-key            oy2          <oy2[a-z0-9]{43}>
clojars-token        clojars_     (?i:clojars)_[a-z0-9]{50,}
crates-token~        cio          <cio%a{32}>
docker-token         dckr_        dckr_(?:pat|oat)_%w{20,}
jfrog-key            akcp         <AKCp%a{60,}
jfrog-key            cmvmdgtu     <cmVmdGtu%a{50,}
circleci-token       ccipat_,cciprj_  CCI(?:PAT|PRJ)_%a{10,40}_%h{40}
buildkite-token      bkua_,bkat_,bkct_  bk(?:ua|at|ct)_%h{40}
sourcegraph-token    sgp_         sgp_(?:%h{16}_|local_)?%h{40}
sonar-token          squ_,sqp_,sqa_  <sq[upa]_[a-z0-9]{40}
postman-key          pmak-        PMAK-%h{24}-%h{34}
pulumi-token         pul-         <pul-%h{40}
terraform-token      .atlasv1.    <%a{14}\.atlasv1\.[A-Za-z0-9=_-]{40,}
vault-token          hvs.,hvb.,hvr.  <hv[sbr]\.%w{24,}
vault-token~         s.           <s\.%a{24}>
doppler-token        dp.          <dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?%a{40,44}
databricks-token     dapi         <dapi%h{32}
prefect-key~         pnu_,pnb_    <pn[ub]_%a{36}
infracost-key~       ico-         <ico-%a{32}
octopus-key~         api-         <API-[A-Z0-9]{26}>
harness-key          pat.,sat.    <[ps]at\.%w{22}\.%h{24}\.%a{20}
dnet-key             dnkey-       dnkey-%w{26}-%w{52}
intra42-secret       s-s4t2       <s-s4t2(?:ud|af)-%h{64}
sidekiq-credentials  contribsys   (?i:contribsys)%near(%h{8}:%h{8})>
"""
_MODELS = r"""
anthropic-key        sk-ant-      sk-ant-%w{16,}
openrouter-key       sk-or-       sk-or-v1-%a{20,}
openai-key           sk-          <sk-(?:proj|svcacct|admin|None)-%w{20,}
openai-key~          sk-          <sk-%w{20,}
huggingface-token~   hf_,api_org_  <(?:hf|api_org)_%a{30,}
groq-key             gsk_         <gsk_%a{40,}
xai-key              xai-         <xai-%a{60,}
perplexity-key       pplx-        <pplx-%a{40,}
replicate-token      r8_          <r8_%a{37}
langsmith-key        lsv2_        lsv2_(?:pt|sk)_%h{32}_%h{10}
pinecone-key         pcsk_        pcsk_[A-Za-z0-9_]{40,}
tavily-key           tvly-        tvly-%w{24,}
elevenlabs-key       sk_          <sk_%h{48}>
cohere-key~          cohere       (?i:cohere)%near(%a{40})>
"""
_MESSAGES = r"""
slack-token          xox          <xox[a-z](?:\.xox[a-z])?-[0-9][A-Za-z0-9-]{14,}
slack-token~         xox          <xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{20,}
slack-token          xapp-        xapp-[0-9]-[A-Za-z0-9-]{10,}
slack-webhook        hooks.slack  hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/
    ([A-Za-z0-9+/_-]{20,})
discord-webhook      api/webhooks/  discord(?:app)?\.com/api/webhooks/[0-9]{1,24}/(%w{40,})
discord-token~       .            <[MNO]%w{22,26}\.%w{6}\.%w{27,40}
teams-webhook        webhook.office.com  webhook\.office\.com/webhookb2/([A-Za-z0-9@/_-]{40,})
telegram-token       :a           <[0-9]{5,16}:A%w{34}
twilio-key           sk,ac        <(?:SK|AC)%h{32}>
sendgrid-key         sg.          <SG\.%w{16,}\.%w{32,}
mailgun-key          key-         <(?:key|pubkey)-%h{32}>
mailgun-key          mailgun      (?i:mailgun)%near(%h{32}-%h{8}-%h{8})>
mailchimp-key        -us          <%h{32}-us[0-9]{1,2}>
brevo-key            xkeysib-     xkeysib-%h{64}-%a{16}
resend-key~          re_          <re_%a{8}_%a{20,}
intercom-token       dg9ro        <dG9rO[A-Za-z0-9+/=]{50,}
twitter-token        twitter      (?i:twitter)%near([0-9]{15,25}-%a{20,40})>
twitter-token        aaaaaaaaaaaaaaaaaaaa  <A{20,22}[A-Za-z0-9%]{60,}
facebook-token       eaam,eaac    <EAA[MC]%a{80,}
facebook-token~      |            <[0-9]{15,16}\|%w{27,40}>
"""
_SERVICES = r"""
stripe-key           _live_,_test_,_prod_  <(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9_]{10,}
stripe-key           whsec_       <whsec_[A-Za-z0-9+/=_-]{20,}
shopify-token        shpat_,shpca_,shppa_,shpss_  shp(?:at|ca|pa|ss)_%a{32}
square-token         eaaa,sq0     <(?:EAAA%w{56,60}|sq0[a-z]{3}-%w{22,43})
paypal-token         access_token$  access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$%h{32}
plaid-token          access-      access-(?:sandbox|development|production)-%u
flutterwave-key      flw          FLW(?:PUB|SEC)K(?:_TEST)?-[a-hA-H0-9]{12,}(?:-X)?
gocardless-token~    live_        <live_[A-Za-z0-9=_-]{40}>
lob-key              live_,test_  <(?:live|test)_(?:pub_)?%h{31,35}>
easypost-key         ezak,eztk    <EZ[AT]K%a{54}>
duffel-token         duffel_      duffel_(?:test|live)_[A-Za-z0-9=_-]{43}
shippo-token         shippo_      shippo_(?:live|test)_%h{40}
coinbase-key         /apikeys/    /apiKeys/(%u)
newrelic-key         nr           <NR(?:AK|RA|BR|IQ|JS|II|AA)-[A-Za-z0-9-]{19,}
datadog-key          datadog,dd_,dd-  (?i:datadog|dd[_-]?(?:api|app))%near(%h{40}|%h{32})>
sentry-token         sntry        sntry[su]_[A-Za-z0-9+/=_-]{40,}
grafana-token        glc_,glsa_   <(?:glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_%a{32}_[A-Fa-f0-9]{8})
grafana-token        eyjrijoi     <eyJrIjoi[A-Za-z0-9+/]{40,}={0,2}
dynatrace-token      dt0          <dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}
linear-key           lin_         <lin_(?:api|oauth)_%a{32,}
notion-token~        ntn_,secret_  <(?:ntn_[0-9]{8,}%a{30,}|secret_%a{43})>
figma-token          figd_,figo_,figu_  fig[dou]_%w{36,}
airtable-token       pat          <pat%a{14}\.%h{64}
asana-token          /            <[0-2]/[0-9]{16}(?:/[0-9]{16})?:%h{32}
contentful-token     cfpat-       CFPAT-%w{40,}
readme-key           rdme_        rdme_[a-z0-9]{60,}
typeform-token       tfp_         tfp_[A-Za-z0-9_.=-]{50,}
hubspot-token        pat-na,pat-eu  <pat-(?:na|eu)[0-9]-%u
frameio-token        fio-u-       fio-u-[A-Za-z0-9=_-]{60,}
maxmind-key          _mmk         <%a{6}_%a{29}_mmk
adobe-secret         p8e-         <p8e-%a{32}
settlemint-token     sm_          <sm_(?:aat|pat|sat)_%a{16}
dropbox-token        sl.          <sl\.(?:u\.)?[A-Za-z0-9=_-]{100,}
authress-key         .acc         <(?:sc|ext|scauth|authress)_%a{5,30}\.%a{4,6}\.acc[_-]
    [a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}
onepassword-token    ops_eyj      ops_eyJ[A-Za-z0-9+/=_-]{100,}
onepassword-key      a3-          <A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})
    (?:-[A-Z0-9]{5}){3}>
age-key              age-secret-key-1  AGE-SECRET-KEY-1[0-9A-Z]{40,}
sumologic-key~       sumo         (?i:sumo(?:logic)?[_. -]?access[_. -]?id)%near(su%a{12})>
confluent-key~       confluent    (?i:confluent)%near(%a{64}|%a{16})>
"""
_GENERAL = r"""
totp-seed            otpauth      otpauth(?:-migration)?:[^\s"'<>]{0,200}?(?i:secret|data)=
    ([A-Za-z0-9%=+/_-]{8,})
totp-seed~           otp,2fa,mfa,authenticator,factor  (?i:otp|2fa|mfa|authenticator
    |two[- ]factor)[^\n]{0,40}?[^A-Za-z0-9]((?:[A-Z2-7]{4}[ -]){3,}[A-Z2-7]{4}
    |(?:[a-z2-7]{4}[ -]){3,}[a-z2-7]{4}|[A-Z2-7]{16,}={0,6})>
jwt                  ey           <ey%w{10,}\.(?:ey%w{6,}|%w{40,})(?:\.%w*)*
jwt                  ewo          <ewo%w{12,}\.%w{12,}\.%w{12,}
jwt                  zxlk         <ZXlK[A-Za-z0-9+/_-]{30,}={0,2}
authorization~       authorization  (?i:authorization)\\?["']?\s{0,3}(?:[:=,]|=>)\s{0,3}\\?["'`]?
    (?:(?i:bearer|basic|digest|token|api-?token|api-?key|key|negotiate)\s{1,3})?
    ([A-Za-z0-9_.~+/=@-]{8,})
authorization~       bearer       <(?i:bearer)\s{1,3}\\?["'`]?([A-Za-z0-9_.~+/=-]{16,})
"""


def _make(row: str) -> Make:
    type_, hints, short = row.split(maxsplit=2)
    left, right = short.startswith("<"), short.endswith(">")
    body = short[left : len(short) - right]
    for shorthand, long in _SHORTHAND.items():
        body = body.replace(shorthand, long)
    return Make(
        type_.rstrip("~"),
        f"{_LEFT if left else ''}({body}){_RIGHT if right else ''}",
        f"({body})",
        tuple(hint.encode() for hint in hints.split(",")),
        type_.endswith("~"),
    )


MAKES = tuple(
    _make(row)
    for rows in (_CLOUDS, _CODE, _MODELS, _MESSAGES, _SERVICES, _GENERAL)
    for row in rows.strip().replace("\n    ", "").splitlines()
)
"""Every make of key that is known by its looks."""
