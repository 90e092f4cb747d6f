/** What is to be done when the program leaves, in whatever way; nothing there can wait. */
export interface ExitTasks {
  add(task: () => void): void;
  remove(task: () => void): void;
}

/** One listener for all tasks, and none while there is nothing to do. */
export function createExitTasks(): ExitTasks {
  const tasks = new Set<() => void>();
  const runAll = () => {
    // The last one first: a folder goes after the commands that write to it.
    for (const task of [...tasks].reverse()) task();
  };
  return {
    add(task) {
      if (tasks.size === 0) process.once('exit', runAll);
      tasks.add(task);
    },
    remove(task) {
      tasks.delete(task);
      if (tasks.size === 0) process.off('exit', runAll);
    },
  };
}
