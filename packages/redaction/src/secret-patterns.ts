/** Token patterns by replacement name. A match must not follow a letter or digit. */
export const SECRET_PATTERNS: Readonly<Record<string, RegExp>> = {
  github_token: /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}/,
  gitlab_token: /glpat-[\w-]{16,}/,
  // Requires a digit, because hyphenated words in style sheets also begin with `sk-`.
  model_key: /sk-(?=[\w-]*\d)[\w-]{20,}/,
  aws_key: /A(?:KIA|SIA)[A-Z0-9]{16}/,
  google_key: /AIza[\w-]{30,}/,
  slack_token: /xox[a-z]-[A-Za-z0-9-]{10,}/,
  npm_token: /npm_[A-Za-z0-9]{30,}/,
  jwt: /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/,
  // Without an end line, it matches to the end of the text: half a key could be completed by guessing.
  private_key: /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/,
  triptych_key:
    /(?:lic|pnl|dir_live|dir_test|rail_live|rail_test|rail_admin|rail_read|rail_svc)_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]{7})?/,
  run_token: /rt_[\w.-]{20,}/,
  check_token: /ct_[\w-]{40,}\.[\w-]{43}/,
  stripe_key: /[rs]k_live_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}/,
  sendgrid_key: /SG\.[\w-]{16,32}\.[\w-]{32,64}/,
  huggingface_token: /hf_[A-Za-z0-9]{30,}/,
  pypi_token: /pypi-[\w-]{50,}/,
  digitalocean_token: /do[opr]_v1_[a-f0-9]{40,}/,
  docker_token: /dckr_(?:pat|oat)_[\w-]{20,}/,
  vault_token: /hv[sbr]\.[\w-]{24,}/,
  grafana_token: /gl(?:sa|c)_[A-Za-z0-9]{32,}/,
  shopify_token: /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/,
  linear_key: /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/,
};

/** The longest prefix needed to recognize a pattern: the first line of a private key. */
export const LONGEST_BEGINNING = 64;

/**
 * Patterns that are secrets only in context, or that contain token separators. Too slow for every log line; used for
 * text that a change adds.
 */
export const CONTEXT_SHAPES: Readonly<Record<string, RegExp>> = {
  telegram_token: /(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  twilio_key: /twilio[^\n]{0,100}?(?<![A-Za-z0-9])(?:SK|AC)?[a-f0-9]{32}(?![A-Za-z0-9])/gi,
  twilio_sid: /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![A-Za-z0-9])/g,
};
