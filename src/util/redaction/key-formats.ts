/** The format of the keys of one vendor. */
export type KeyFormat = {
  name: string;
  /** How the keys begin, at least two characters, so that one scan finds the candidates of all formats. */
  starts: readonly string[];
  /** What follows the beginning; sticky. */
  rest: RegExp;
  /** Ordinary names begin like this too, so only a key that looks random is redacted. */
  vague?: true;
};

/** One row per format, grouped by kind. Formats without a fixed beginning are in `key-shapes.ts`. */
export const KEY_FORMATS: readonly KeyFormat[] = [
  // Models
  { name: 'OpenAI', starts: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], rest: /[\w-]{10,}/y },
  { name: 'Anthropic', starts: ['sk-ant-'], rest: /[\w-]{10,}/y },
  { name: 'OpenRouter', starts: ['sk-or-'], rest: /[\w-]{10,}/y },
  { name: 'OpenAI and compatible', starts: ['sk-'], rest: /[\w-]{10,}/y, vague: true },
  { name: 'NVIDIA', starts: ['nvapi-'], rest: /[\w-]{20,}/y },
  { name: 'Groq', starts: ['gsk_'], rest: /[A-Za-z0-9]{10,}/y },
  { name: 'xAI', starts: ['xai-'], rest: /[A-Za-z0-9]{30,}/y, vague: true },
  { name: 'Replicate', starts: ['r8_'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Vercel Blob', starts: ['vercel_blob_rw_'], rest: /[A-Za-z0-9_]{20,}/y },
  { name: 'Hugging Face', starts: ['hf_', 'api_org_'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Perplexity', starts: ['pplx-'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Fireworks', starts: ['fw-', 'fw_'], rest: /[A-Za-z0-9]{30,}/y, vague: true },
  { name: 'Fireworks service', starts: ['fpk_'], rest: /[A-Za-z0-9]{30,}/y, vague: true },
  { name: 'Cerebras', starts: ['csk-'], rest: /[A-Za-z0-9]{30,}/y, vague: true },
  { name: 'fal', starts: ['fal_'], rest: /[\w-]{10,}/y, vague: true },
  { name: 'Pinecone', starts: ['pcsk_'], rest: /\w{20,}/y },
  { name: 'LangSmith', starts: ['lsv2_pt_', 'lsv2_sk_'], rest: /\w{20,}/y },
  { name: 'Langfuse', starts: ['pk-lf-'], rest: /[A-Za-z0-9-]{8,}/y, vague: true },
  { name: 'Tavily', starts: ['tvly-'], rest: /[A-Za-z0-9-]{10,}/y },
  { name: 'Exa', starts: ['exa_'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Firecrawl', starts: ['fc-'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Browserbase', starts: ['bb_live_'], rest: /[\w-]{10,}/y, vague: true },
  { name: 'Codex session', starts: ['gAAAA'], rest: /[\w=-]{20,}/y },
  { name: 'memory services', starts: ['mem0_', 'retaindb_', 'brv_'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Honcho', starts: ['hsk-'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'AgentMail', starts: ['am_'], rest: /[\w-]{10,}/y, vague: true },
  // Clouds
  { name: 'Google API', starts: ['AIza'], rest: /[\w-]{30,}/y },
  { name: 'Google access token', starts: ['ya29.'], rest: /[\w.-]{20,}/y },
  { name: 'Google refresh token', starts: ['1//0'], rest: /[\w-]{30,}/y },
  { name: 'Google OAuth client', starts: ['GOCSPX-'], rest: /[\w-]{20,}/y },
  { name: 'AWS key id', starts: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], rest: /[A-Z0-9]{16}(?![A-Za-z0-9])/y },
  { name: 'AWS session token', starts: ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz'], rest: /[A-Za-z0-9+/]{60,}={0,2}/y },
  { name: 'AWS Bedrock', starts: ['ABSK'], rest: /[A-Za-z0-9+/]{90,}={0,2}/y },
  { name: 'Alibaba key id', starts: ['LTAI'], rest: /[A-Za-z0-9]{16,20}(?![A-Za-z0-9])/y, vague: true },
  { name: 'DigitalOcean', starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'], rest: /[A-Za-z0-9]{10,}/y },
  { name: 'Heroku', starts: ['HRKU-'], rest: /[\w-]{30,}/y },
  { name: 'Databricks', starts: ['dapi'], rest: /[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])/y },
  { name: 'Fly', starts: ['fo1_', 'fm1_', 'fm2_'], rest: /[\w+/=-]{30,}/y, vague: true },
  { name: 'Netlify', starts: ['nfp_'], rest: /[A-Za-z0-9]{36,}/y, vague: true },
  { name: 'Supabase', starts: ['sbp_'], rest: /[0-9a-f]{40}/y },
  { name: 'PlanetScale', starts: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], rest: /[\w.=-]{30,}/y },
  { name: 'Tailscale', starts: ['tskey-'], rest: /[A-Za-z0-9-]{16,}/y },
  { name: 'Pulumi', starts: ['pul-'], rest: /[0-9a-f]{40}/y },
  { name: 'Doppler', starts: ['dp.pt.', 'dp.st.', 'dp.sa.', 'dp.ct.'], rest: /[\w.]{30,}/y },
  { name: 'Vault', starts: ['hvs.', 'hvb.', 'hvr.'], rest: /[\w-]{20,}/y },
  { name: 'Vault before 1.10', starts: ['s.'], rest: /[A-Za-z0-9]{24}(?![\w.(=])/y, vague: true },
  { name: '1Password', starts: ['ops_eyJ'], rest: /[A-Za-z0-9+/=_-]{60,}/y },
  { name: 'age', starts: ['AGE-SECRET-KEY-1'], rest: /[A-Z0-9]{40,}/y },
  // Code and packages
  { name: 'GitHub', starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: /[A-Za-z0-9]{10,}/y },
  { name: 'GitHub fine-grained', starts: ['github_pat_'], rest: /\w{10,}/y },
  {
    name: 'GitLab',
    starts: 'glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt-'.split(' '),
    rest: /[\w.-]{10,}/y,
  },
  { name: 'GitLab runner', starts: ['GR1348941'], rest: /[\w-]{10,}/y },
  { name: 'Atlassian', starts: ['ATATT3xFf', 'ATCTT3xFf', 'ATBB'], rest: /[\w=-]{24,}/y, vague: true },
  { name: 'npm', starts: ['npm_'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'PyPI', starts: ['pypi-'], rest: /[\w-]{10,}/y, vague: true },
  { name: 'RubyGems', starts: ['rubygems_'], rest: /[0-9a-f]{40,}/y },
  { name: 'Docker Hub', starts: ['dckr_pat_', 'dckr_oat_'], rest: /[\w-]{20,}/y },
  { name: 'Artifactory', starts: ['AKCp', 'cmVmdGtu'], rest: /[A-Za-z0-9]{56,}/y },
  { name: 'SonarQube', starts: ['sqp_', 'squ_', 'sqa_'], rest: /[0-9a-f]{40}/y },
  { name: 'Sourcegraph', starts: ['sgp_'], rest: /\w{40,}/y },
  { name: 'CircleCI', starts: ['CCIPAT_', 'CCIPRJ_'], rest: /\w{30,}/y },
  { name: 'Buildkite', starts: ['bkua_'], rest: /[0-9a-f]{40}/y },
  { name: 'Postman', starts: ['PMAK-'], rest: /[0-9a-f-]{40,}/y },
  // Messages and mail
  {
    name: 'Slack',
    starts: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-'],
    rest: /[A-Za-z0-9.%+/=-]{10,}/y,
  },
  { name: 'Slack app', starts: ['xapp-'], rest: /\d+-[A-Za-z0-9-]{10,}/y },
  {
    name: 'Discord bot',
    // The first part is the base64 form of a number.
    starts: ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    rest: /[A-Za-z0-9]{21,26}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/y,
  },
  { name: 'Matrix', starts: ['syt_'], rest: /\w{10,}/y, vague: true },
  { name: 'SendGrid', starts: ['SG.'], rest: /[\w-]{10,}(?:\.[\w-]{10,})?/y },
  { name: 'Mailgun', starts: ['key-'], rest: /[0-9a-f]{32}(?![\w-])/y },
  { name: 'Brevo', starts: ['xkeysib-', 'xsmtpsib-'], rest: /[A-Za-z0-9-]{40,}/y },
  { name: 'Resend', starts: ['re_'], rest: /[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,30}(?!\w)/y, vague: true },
  { name: 'Twilio', starts: ['SK'], rest: /[0-9a-f]{32}(?!\w)/y },
  // Payments and shops
  { name: 'Stripe', starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], rest: /[A-Za-z0-9]{10,}/y },
  { name: 'Stripe webhook', starts: ['whsec_'], rest: /[A-Za-z0-9+/=]{20,}/y },
  { name: 'Shopify', starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], rest: /[0-9a-fA-F]{32}/y },
  { name: 'Square', starts: ['sq0atp-', 'sq0csp-', 'sq0idp-'], rest: /[\w-]{20,}/y },
  { name: 'Square access token', starts: ['EAAA'], rest: /[\w-]{56,64}(?![\w-])/y, vague: true },
  { name: 'Facebook', starts: ['EAACEdEose0cBA', 'EAAG'], rest: /[A-Za-z0-9]{80,}/y },
  { name: 'secret key', starts: ['sk_'], rest: /\w{10,}/y, vague: true },
  // Work
  { name: 'Notion', starts: ['ntn_'], rest: /[A-Za-z0-9]{10,}/y, vague: true },
  { name: 'Notion before 2024', starts: ['secret_'], rest: /[A-Za-z0-9]{43}(?!\w)/y },
  { name: 'Linear', starts: ['lin_api_', 'lin_oauth_'], rest: /[A-Za-z0-9]{30,}/y },
  { name: 'Figma', starts: ['figd_'], rest: /[\w-]{30,}/y },
  { name: 'Sentry', starts: ['sntrys_', 'sntryu_'], rest: /[\w+/=-]{40,}/y },
  { name: 'New Relic', starts: ['NRAK-', 'NRII-', 'NRIQ-', 'NRRA-', 'NRBR-', 'NRJS-'], rest: /[\w-]{19,}/y },
  { name: 'Grafana', starts: ['glc_', 'glsa_'], rest: /[\w+/=]{30,}/y },
  { name: 'Dynatrace', starts: ['dt0c01.', 'dt0s01.', 'dt0s16.'], rest: /[A-Z0-9]{24}\.[A-Z0-9]{64}/y },
  { name: 'Typeform', starts: ['tfp_'], rest: /[\w.-]{40,}/y },
  { name: 'Contentful', starts: ['CFPAT-'], rest: /[\w-]{40,}/y },
  { name: 'Airtable', starts: ['pat'], rest: /[A-Za-z0-9]{14}\.[0-9a-f]{64}/y },
  { name: 'Mapbox', starts: ['sk.eyJ'], rest: /[\w.-]{40,}/y },
  // General
  { name: 'JSON Web Token', starts: ['eyJ'], rest: /[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/y },
  {
    name: 'encrypted JSON Web Token',
    starts: ['eyJ'],
    rest: /[\w-]{10,}\.[\w-]{0,800}\.[\w-]{10,60}\.[\w-]{10,}\.[\w-]{16,40}(?![\w-])/y,
  },
];

/** A format that has no fixed beginning. */
export type KeyShape = {
  name: string;
  /** Text that every match contains, in this spelling. */
  needs: string;
  /** With the text before the secret as the first group and the text after it as the second, where there are any. */
  pattern: RegExp;
};

export const KEY_SHAPES: readonly KeyShape[] = [
  { name: 'Telegram bot', needs: ':AA', pattern: /(?<![A-Za-z0-9_-])\d{8,10}:AA[\w-]{33}/g },
  { name: 'Azure client secret', needs: '8Q~', pattern: /(?<![\w~.-])[\w~.]{3}8Q~[\w~.-]{31,34}/g },
  { name: 'Azure DevOps', needs: 'AZDO', pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}/g },
  { name: 'New Relic license', needs: 'NRAL', pattern: /(?<![\w-])[\w]{36}NRAL(?!\w)/g },
  { name: 'Terraform', needs: '.atlasv1.', pattern: /(?<![\w-])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g },
  {
    name: 'Slack webhook',
    needs: 'hooks.slack',
    pattern: /(hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/-]{16,}/g,
  },
  { name: 'Discord webhook', needs: '/webhooks/', pattern: /(\/api\/(?:v\d+\/)?webhooks\/\d{10,20}\/)[\w-]{30,}/g },
  {
    name: 'Teams webhook',
    needs: 'webhook.office.com',
    pattern: /(webhook\.office\.com\/webhookb2\/)[\w@-]{30,}\/IncomingWebhook\/[\w/-]{30,}/g,
  },
  {
    name: 'Sentry DSN',
    needs: 'sentry',
    pattern: /(:\/\/)[0-9a-f]{32}(?::[0-9a-f]{32})?(@[\w.-]*sentry[\w.-]*\/\d+)/g,
  },
];
