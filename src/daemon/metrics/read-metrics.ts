import { statfs, stat } from 'node:fs/promises';

import type { ChannelStateView, StatusView } from '../../control/contract.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import type { Store } from '../../core/store.ts';
import { type StatusSources, readStatus } from '../../control/status-view.ts';
import { gauge } from './counters.ts';

export interface MetricsSources {
  readonly status: StatusSources;
  readonly store: Pick<Store, 'upkeep' | 'alerts'>;
  /** The directory whose disk is measured, and the database in it. */
  readonly paths: { readonly state: string; readonly database: string };
  readonly counted: () => Promise<readonly MetricFamily[]>;
}

const channelStates: readonly ChannelStateView['state'][] = ['ok', 'limited', 'open', 'broken'];
const apiStates: readonly StatusView['api']['state'][] = ['off', 'ok', 'paused'];

/** All metrics for Prometheus: numbers, hookbell's own words and channel names, no agent text. */
export async function readMetrics(sources: MetricsSources): Promise<readonly MetricFamily[]> {
  const { store, paths } = sources;
  const [status, counts, alerts, counted, disk, database] = await Promise.all([
    readStatus(sources.status),
    store.upkeep.counts(),
    store.alerts.live(),
    sources.counted(),
    statfs(paths.state).catch(() => null),
    stat(paths.database).catch(() => null),
  ]);
  const { user, system } = process.cpuUsage();
  return [
    gauge('hookbell_build_info', 'The running version', [[{ version: status.version }, 1]]),
    gauge('process_start_time_seconds', 'When the daemon started, Unix time', [
      [{}, Date.parse(status.startedAt) / 1_000],
    ]),
    gauge('process_resident_memory_bytes', 'Resident memory of the daemon', [
      [{}, process.memoryUsage.rss()],
    ]),
    {
      ...gauge('process_cpu_seconds_total', 'CPU time', [[{}, (user + system) / 1_000_000]]),
      type: 'counter',
    },
    ...counted,
    gauge('hookbell_events', 'Events in the history', [[{}, counts.events]]),
    byWord(
      'hookbell_deliveries',
      'Deliveries in the history, by state',
      'state',
      counts.deliveries,
    ),
    byWord('hookbell_sessions', 'Known sessions, by state', 'state', counts.sessions),
    byWord('hookbell_alerts', 'Live alerts, by state', 'state', {
      open: alerts.filter(({ state }) => state === 'open').length,
      acknowledged: alerts.filter(({ state }) => state === 'acknowledged').length,
    }),
    gauge('hookbell_spool_envelopes', 'Envelopes not ingested yet', [[{}, status.spool.pending]]),
    gauge('hookbell_quarantine_files', 'Unreadable envelopes', [[{}, status.spool.quarantined]]),
    gauge(
      'hookbell_channel_state',
      'Channel state: 1 for the current one',
      status.channels.flatMap(({ name, type, state }) =>
        channelStates.map((word) => [{ channel: name, type, state: word }, Number(word === state)]),
      ),
    ),
    gauge(
      'hookbell_api_state',
      "State of the session lookup with the vendor's service: 1 for the current one",
      apiStates.map((word) => [{ state: word }, Number(word === status.api.state)]),
    ),
    gauge('hookbell_config_valid', '0 when the configuration file was rejected', [
      [{}, Number(status.config.ok)],
    ]),
    gauge('hookbell_warnings', 'Warnings, as shown by "hookbell status"', [
      [{}, status.warnings.length],
    ]),
    gauge(
      'hookbell_heartbeat_success',
      '0 when the last heartbeat failed',
      (status.heartbeat?.lastAt ?? null) === null
        ? []
        : [[{}, Number(status.heartbeat?.reason === null)]],
    ),
    gauge(
      'hookbell_disk_free_bytes',
      'Free bytes on the disk that holds spool and database',
      disk === null ? [] : [[{}, disk.bavail * disk.bsize]],
    ),
    gauge(
      'hookbell_disk_free_inodes',
      'Free inodes on that disk',
      disk === null ? [] : [[{}, disk.ffree]],
    ),
    gauge(
      'hookbell_database_bytes',
      'Size of the database',
      database === null ? [] : [[{}, database.size]],
    ),
  ];
}

function byWord(
  name: string,
  help: string,
  label: string,
  counts: Readonly<Record<string, number>>,
): MetricFamily {
  return gauge(
    name,
    help,
    Object.entries(counts).map(([word, count]) => [{ [label]: word }, count]),
  );
}
