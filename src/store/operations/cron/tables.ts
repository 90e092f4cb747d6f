/** The runs of scheduled jobs. `jobs` is used only with PostgreSQL; with SQLite, jobs are in a file of the original. */
export const CREATE_CRON_TABLES = `
CREATE TABLE IF NOT EXISTS cron_runs (
    job_id {textKey} NOT NULL,
    planned_at DOUBLE PRECISION NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    leased_until DOUBLE PRECISION NOT NULL,
    claimed_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION,
    session_id TEXT,
    error TEXT,
    output_path TEXT,
    deliveries TEXT,
    delivery_error TEXT,
    PRIMARY KEY (job_id, planned_at)
);
CREATE INDEX IF NOT EXISTS idx_cron_runs_open ON cron_runs(leased_until) WHERE state IN ('claimed', 'running');
CREATE TABLE IF NOT EXISTS cron_jobs (
    position {serialKey},
    id {textKey} NOT NULL UNIQUE,
    body TEXT NOT NULL
);
`;
