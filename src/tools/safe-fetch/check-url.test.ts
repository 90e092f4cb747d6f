import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { kindOfAddress } from './check-url.ts';
import { checkUrl, type UrlRules } from './index.ts';

const rules = (addresses: Record<string, string[]> = {}, more: UrlRules = {}): UrlRules => ({
  lookup: async (host) => addresses[host] ?? ['93.184.216.34'],
  ...more,
});
const refusal = (url: string, with_: UrlRules = rules()) =>
  checkUrl(url, with_).then(
    () => 'fetched',
    (thrown: Error) => thrown.message,
  );

describe('checkUrl', () => {
  verifies('TOOL-10', 'rejects loopback and private addresses in every notation', async () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '0x7f000001',
      '0.0.0.0',
      '0',
      '127.0.0.1.',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '169.254.1.1',
      '224.0.0.1',
      '255.255.255.255',
      '198.18.0.1',
      '192.0.0.8',
      '3232235521',
      '0xc0.0xa8.0.1',
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fc00::1]',
      '[fd12:3456::1]',
      '[ff02::1]',
      '[2001:db8::1]',
      '[64:ff9b:1::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:10.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::10.0.0.1]',
      '[2002:7f00:1::]',
      '[2002:a00:1::1]',
      '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
      '[::ffff:0:127.0.0.1]',
    ]) {
      expect(await refusal(`http://${host}/x`), host).toMatch(/ is a (?:local|private or reserved) address/);
    }
  });

  verifies('TOOL-10', 'never allows cloud metadata endpoints', async () => {
    const allowed = rules({ 'rebound.example': ['169.254.169.254'] }, { allowPrivate: true, allowLoopback: true });
    for (const host of [
      '168.63.129.16',
      '192.0.0.192',
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '169.254.170.2',
      '100.100.100.200',
      '[fd00:ec2::254]',
      '[::ffff:169.254.169.254]',
      'metadata.google.internal',
      'metadata.google.internal.',
      'METADATA',
      'rebound.example',
    ]) {
      expect(await refusal(`http://${host}/latest`, allowed), host).toContain('cloud metadata endpoint');
    }
  });

  verifies('TOOL-10', 'checks every address that a name resolves to', async () => {
    const names = { 'a.example': ['93.184.216.34', '10.0.0.1'], 'b.example': ['::1'], 'c.example': ['93.184.216.34'] };
    expect(await refusal('https://a.example/', rules(names))).toContain(
      'a.example points to a private or reserved address',
    );
    expect(await refusal('https://b.example/', rules(names))).toContain('b.example points to a local address');
    const { url, addresses } = await checkUrl('https://c.example/a?b=c', rules(names));
    expect([url.href, addresses]).toEqual(['https://c.example/a?b=c', ['93.184.216.34']]);
    const failing: UrlRules = { lookup: () => Promise.reject(new Error('no such name')) };
    expect(await refusal('https://d.example/', failing)).toContain('d.example (no such name)');
    expect(await refusal('https://d.example/', { lookup: async () => [] })).toContain('has no address');
    expect(await refusal('https://d.example/', { lookup: async () => ['nonsense'] })).toContain(
      'private or reserved address',
    );
  });

  verifies('TOOL-10', 'allows what the configuration allows', async () => {
    expect(await refusal('http://192.168.0.1/', rules({}, { allowPrivate: true }))).toBe('fetched');
    expect(await refusal('http://localhost/', rules({ localhost: ['127.0.0.1'] }, { allowLoopback: true }))).toBe(
      'fetched',
    );
    expect(await refusal('http://192.168.0.1/', rules({}, { allowLoopback: true }))).toContain(
      'private or reserved address',
    );
    expect(await refusal('http://8.8.8.8/')).toBe('fetched');
    expect(await refusal('http://[2606:4700::1111]/')).toBe('fetched');
  });

  verifies('TOOL-10', 'rejects URLs with secrets, and anything but http and https', async () => {
    for (const url of [
      'https://me:pass@example.com/',
      'https://me@example.com/',
      'https://example.com/?api_key=abc',
      'https://example.com/?q=ghp_abcdefghij1234567890',
      'https://example.com/sk-proj-abcdefghij1234567890/x',
      'https://example.com/#sk-proj-abcdefghij1234567890',
      'https://example.com/%67hp_abcdefghij1234567890',
    ]) {
      expect(await refusal(url), url).toContain('password, key or token');
      expect(await refusal(url), url).not.toMatch(/abcdefghij|pass@/);
    }
    expect(await refusal('https://example.com/?q=token&page_size=3')).toBe('fetched');
    for (const url of ['file:///etc/passwd', 'ftp://a/', 'gopher://a/', 'javascript:1', 'data:,x', 'nonsense', '']) {
      expect(await refusal(url), url).toContain('must begin with https://');
    }
  });

  it('throws only refusals, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.ipV6().map((ip) => `http://[${ip}]/`),
        ),
        async (text) => {
          const outcome = await checkUrl(text, rules()).then(
            () => 'checked',
            (thrown: Error) => thrown.name,
          );
          expect(['checked', 'ToolFailure']).toContain(outcome);
        },
      ),
    );
  });
});

describe('kindOfAddress', () => {
  it('classifies every address, also IPv4 embedded in IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const kind = kindOfAddress(address);
        expect(kind).toBeDefined();
        for (const form of ['::ffff:', '64:ff9b::']) expect(kindOfAddress(`${form}${address}`)).toBe(kind);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(kindOfAddress(address)).toBeDefined();
      }),
    );
    for (const text of ['', '1.2.3', '1.2.3.256', ':::', '1::2::3', 'g::', '1:2:3:4:5:6:7:8:9', 'host']) {
      expect(kindOfAddress(text), text).toBeUndefined();
    }
  });
});
