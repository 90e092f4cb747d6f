import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { PLAN_ANSWERS } from '../../base/index.ts';
import { createToolFixture } from '../tools.fixture.ts';

/** Presents a plan and returns what the model reads, and whether plan mode is still on. */
async function present(reply: string | undefined, isOn = true): Promise<{ content: string; isOn: boolean }> {
  const mode = { isOn };
  const planMode = {
    isOn: () => mode.isOn,
    end() {
      mode.isOn = false;
    },
  };
  await using fixture = await createToolFixture({
    set: { services: { planMode } },
    ...(reply !== undefined && { reply }),
  });
  const { content } = await fixture.run('clarify', { question: 'All right?', plan: '1. look\n2. leap' });
  return { content, ...mode };
}

verifies('APPR-5', 'plan mode ends only with an approval by the user', async () => {
  expect(await present(PLAN_ANSWERS.approve)).toMatchObject({ isOn: false });
  expect(await present(`${PLAN_ANSWERS.edited}\n1. look twice`)).toEqual({
    content: expect.stringMatching(/exactly this plan now:\n\n1\. look twice$/) as string,
    isOn: false,
  });
  for (const other of [
    PLAN_ANSWERS.reject,
    PLAN_ANSWERS.edited,
    'approve',
    'Approve the plan?',
    'no tests?',
    undefined,
  ])
    expect(await present(other), other).toMatchObject({ isOn: true });
});

it('passes criticism on to the model', async () => {
  expect((await present('without a new package')).content).toMatch(/present it again.*\n\nwithout a new package$/s);
  expect((await present(PLAN_ANSWERS.reject)).content).toContain('end your turn');
});

it('asks nothing outside plan mode', async () => {
  expect((await present(undefined, false)).content).toContain('Plan mode is off');
});
