/** What tokens look like, by the name that replaces them. Each begins where no letter or digit stands before it. */
export const SHAPES: Readonly<Record<string, RegExp>> = {
  github_token: /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}/,
  gitlab_token: /glpat-[\w-]{16,}/,
  // A digit is asked for: words joined by dashes begin with `sk-` in style sheets too.
  model_key: /sk-(?=[\w-]*\d)[\w-]{20,}/,
  aws_key: /A(?:KIA|SIA)[A-Z0-9]{16}/,
  google_key: /AIza[\w-]{30,}/,
  slack_token: /xox[a-z]-[A-Za-z0-9-]{10,}/,
  npm_token: /npm_[A-Za-z0-9]{30,}/,
  jwt: /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/,
  // Without its last line it reaches to the end of the text: half a key is a key that may be completed by guessing.
  private_key: /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/,
  triptych_key:
    /(?:lic|pnl|dir_live|dir_test|rail_live|rail_test|rail_admin|rail_svc)_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]{7})?/,
  run_token: /rt_[\w.-]{20,}/,
};

/** The longest text that a shape needs to be known as one: the first line of a private key. */
export const LONGEST_BEGINNING = 64;
