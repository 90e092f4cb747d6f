/** Synchronous tasks that run when Hermes exits. */
export interface ExitTasks {
  add(task: () => void): void;
  remove(task: () => void): void;
}

/** Uses one exit listener for all tasks, and none if there are no tasks. */
export function createExitTasks(): ExitTasks {
  const tasks = new Set<() => void>();
  const runAll = () => {
    // In reverse order, so that a folder is removed after the commands that write to it were killed.
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
