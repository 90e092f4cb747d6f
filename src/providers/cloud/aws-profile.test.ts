import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIni } from './aws-profile.ts';

describe('the files of AWS', () => {
  it('are read with comments, spaces, quotes and nested settings', () => {
    const text = [
      '# a comment',
      '[default]',
      'region = us-east-1 ; here',
      '; another',
      '[ profile  "work" ]\r',
      'role_arn=arn:aws:iam::1:role/a',
      's3 =',
      '  max_concurrent_requests = 20',
      'Region=eu-west-1',
      '[default]',
      'output = json',
      'no value',
    ].join('\n');
    expect(Object.fromEntries(parseIni(text))).toEqual({
      default: { region: 'us-east-1', output: 'json' },
      'profile work': { role_arn: 'arn:aws:iam::1:role/a', s3: '', region: 'eu-west-1' },
    });
  });

  it('keep every written value, and accept any text', () => {
    const name = fc.stringMatching(/^[a-z][a-z_]{0,12}$/).filter((one) => one !== '__proto__');
    const value = fc.stringMatching(/^[A-Za-z0-9+/=:.-]{1,30}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.dictionary(name, value)), (sections) => {
        const lines = Object.entries(sections).flatMap(([section, fields]) => [
          `[${section}]`,
          ...Object.entries(fields).map(([field, one]) => `${field} = ${one}`),
        ]);
        expect(Object.fromEntries(parseIni(lines.join('\n')))).toEqual(JSON.parse(JSON.stringify(sections)));
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseIni(text)));
  });
});
