import type { SubagentReport } from '../../contracts/index.ts';
import { cutMiddle, shorten, takeStart } from '../../util/index.ts';

type Goals = readonly { goal: string }[];

const SHOWN_GOAL = 80;
const SHOWN_ERROR = 600;
/** What a cut may add to a text. */
const NOTICE_ROOM = 60;
/** Below this nothing useful is left of a report. */
const SHORTEST = 200;

const ENDINGS: Readonly<Record<SubagentReport['ended'], string>> = {
  completed: 'completed',
  interrupted: 'interrupted',
  failed: 'failed',
  limit_reached: 'stopped: a spending limit was reached',
  repetition_stopped: 'stopped: it repeated itself',
  max_iterations: 'stopped: its steps were used up',
  budget_exhausted: 'stopped: its steps were used up',
  truncated: 'its answer was cut off',
  empty: 'it answered nothing',
  timed_out: 'stopped: its time was up',
  not_started: 'not started',
};

/** All reports in the order of their tasks. */
export function formatReports(reports: readonly SubagentReport[], tasks: Goals, longest = Number.POSITIVE_INFINITY) {
  return reports
    .map((report, index) => {
      const { text } = report;
      const shown = text.length <= longest ? text : cutMiddle(text, longest - NOTICE_ROOM);
      return [headOf(report, index + 1, tasks), errorOf(report), shown].filter((part) => part !== '').join('\n');
    })
    .join('\n\n');
}

/** The same within a limit: short reports stay whole, and the long ones share what is left. */
export function fitReports(
  reports: readonly SubagentReport[],
  tasks: Goals,
  { limit, where }: { limit: number; where: string },
): string {
  const around = formatReports(
    reports.map((report) => ({ ...report, text: '' })),
    tasks,
  ).length;
  const room = limit - around - reports.length - where.length - NOTICE_ROOM;
  const longest = shareOf(
    reports.map(({ text }) => text.length),
    room,
  );
  const fitted = formatReports(reports, tasks, Math.max(longest, SHORTEST));
  return `${takeStart(fitted, limit - where.length - NOTICE_ROOM)}\n\n[Cut. ${where}]`;
}

/** How long the longest may be, so that all of them together fit. */
function shareOf(lengths: readonly number[], room: number): number {
  let left = room;
  const ascending = [...lengths].sort((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Math.max(...lengths);
}

function headOf({ ended, sessionId, toolCalls, durationMs }: SubagentReport, number: number, tasks: Goals): string {
  const goal = shorten(tasks[number - 1]?.goal ?? '', SHOWN_GOAL);
  const work = sessionId === undefined ? '' : `, tool calls: ${toolCalls}, ${Math.round(durationMs / 1000)} s`;
  return `## Task ${number} (${goal}): ${ENDINGS[ended]}${work}`;
}

/** Where the ending alone says it all, the words about it are for the person. */
const PLAIN: readonly SubagentReport['ended'][] = ['max_iterations', 'budget_exhausted', 'interrupted'];

function errorOf({ error, ended }: SubagentReport): string {
  return error === undefined || PLAIN.includes(ended) ? '' : `Reason: ${shorten(error, SHOWN_ERROR)}`;
}
