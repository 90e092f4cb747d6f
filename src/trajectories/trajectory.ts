/** The roles of the ShareGPT format. */
export const TRAJECTORY_ROLES = ['system', 'human', 'gpt', 'tool'] as const;
export type TrajectoryRole = (typeof TRAJECTORY_ROLES)[number];

export type TrajectoryTurn = { from: TrajectoryRole; value: string };

/** One line of a file: a whole conversation. The field order is part of the format. */
export type Trajectory = {
  conversations: TrajectoryTurn[];
  /** Local time with six fractional digits and no time zone. */
  timestamp: string;
  model: string;
  completed: boolean;
};

/** The file names for trajectories of chat turns, separate for completed and failed turns. */
export const COMPLETED_FILE = 'trajectory_samples.jsonl';
export const FAILED_FILE = 'failed_trajectories.jsonl';

/** The tags of the format. */
const TAGS = ['think', 'tool_call', 'tool_response', 'tools'] as const;

/** The start of an opening or closing tag; other text must not contain it. */
export const TAG_BEGIN = new RegExp(`<(?=/?(?:${TAGS.join('|')})>)`, 'g');

/** `2026-03-30T14:22:31.456000` */
export function trajectoryTime(timestamp: number): string {
  const at = new Date(timestamp);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const second = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day}T${second}.${String(at.getMilliseconds()).padStart(3, '0')}000`;
}
