import { HermesError } from '../../base/index.ts';
import type { Cause } from '../containers/container-engine.ts';

export type CloudSubject = { backend: 'modal' | 'daytona'; image: string; name: string; home: string };

const KEYS = { modal: 'MODAL_TOKEN_ID and MODAL_TOKEN_SECRET', daytona: 'DAYTONA_API_KEY' };
const PLACES = { modal: 'https://modal.com/settings/tokens', daytona: 'https://app.daytona.io/dashboard/keys' };

const NO_KEY = 'no key is set';

function causes({ backend, image, name, home }: CloudSubject): readonly Cause[] {
  return [
    [
      /missing credentials|credentials not found/i,
      NO_KEY,
      `Make one at ${PLACES[backend]} and set ${KEYS[backend]} in ${home}/.env.`,
    ],
    [
      /unauthenticated|unauthorized|permission_denied|forbidden|\b40[13]\b|authentication/i,
      'it does not take the key',
      `Check ${KEYS[backend]}, in the environment and in ${home}/.env.`,
    ],
    [
      /resource_exhausted|quota|limit exceeded|limit reached|total .* limit|payment|credit|rate limit|\b4(?:02|29)\b/i,
      'what your account may use is used up',
      `Look at ${new URL(PLACES[backend]).origin}, end what is not needed, or lower terminal.container_cpu and container_memory.`,
    ],
    [
      /image .*(?:build|failed|not found)|build_failed|manifest|pull access/i,
      `the image ${image} cannot be used`,
      `Check terminal.${backend}_image: the name of an image that the service can fetch.`,
    ],
    [
      /container is gone|not found|not_found|terminated|already (?:been )?(?:shut|finished|completed)|is not running|destroyed|\b404\b/i,
      `the container ${name} is gone`,
      'It was ended, or its time was over. What was not kept is lost; start again, and a new one is made.',
    ],
    [
      /within \d+ seconds|took longer|timed? ?out|deadline/i,
      'it took too long',
      'Try again; the first use of an image takes longest. If it stays so, look at the status page of the service.',
    ],
    [
      /unavailable|econn|enotfound|getaddrinfo|eai_again|socket|network|no connection|fetch failed|\b50\d\b/i,
      'it cannot be reached',
      'Check the network and whether the service is up; nothing was run anywhere else.',
    ],
  ];
}

/** Of what an SDK says, which may be a page. */
const MAX_SAID = 200;

/** What a service or its SDK said, in words that lead on. */
export function explainCloud(subject: CloudSubject, errors: string): HermesError {
  const line = errors.trim().split('\n').at(-1)?.trim() ?? '';
  const text = line
    .replace(/^\w*Error: /, '')
    .replace(/\.$/, '')
    .slice(0, MAX_SAID);
  const unknown: Cause = [/^/, 'it failed', 'Try again; if it stays so, choose another terminal.backend.'];
  const [, what, hint] = causes(subject).find(([pattern]) => pattern.test(errors)) ?? unknown;
  // How its SDK would be given a key is of no use here.
  const said = text === '' || what === NO_KEY ? '' : ` (${text})`;
  return new HermesError(`No container of ${subject.backend}: ${what}${said}.`, { hint });
}
