import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { bridge } from './bridge.ts'
import { bytesSent } from './bytes-sent.ts'
import { callers } from './callers.ts'
import { channels } from './channels.ts'
import { hostsAtOnce, withoutCluster } from './cluster-scaling.ts'
import { coldAndWarm } from './cold-and-warm.ts'
import { commandStart } from './command-start.ts'
import { concurrent } from './concurrent.ts'
import { quickDays } from './days.ts'
import { endpoint, endpointAtOnce } from './endpoint.ts'
import { firstView } from './first-view.ts'
import { growth } from './growth.ts'
import { historyLines } from './history.ts'
import { hosts } from './hosts.ts'
import { idleSessions } from './idle-sessions.ts'
import { driftOfMany, insight } from './insight.ts'
import { longLine } from './long-line.ts'
import { longTasks } from './long-tasks.ts'
import { acrossHosts, manyHosts } from './many-hosts.ts'
import { manySessions } from './many-sessions.ts'
import { orphans } from './orphans.ts'
import { overhead } from './overhead.ts'
import { projectReads } from './project-reads.ts'
import { resumedTokens } from './resumed-tokens.ts'
import type { Row } from './row.ts'
import { start } from './start.ts'
import { toolHook } from './tool-hook.ts'
import { transcriptFiles } from './transcript-files.ts'
import { dashboardViewers } from './viewers.ts'
import { warmTurn } from './warm-turn.ts'

/** Every figure is a ratio of two sides measured in turn in this one run. `npm run bench [P1 P3 …]`. */
const scenarios: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  P1: warmTurn,
  P1b: overhead,
  P2: coldAndWarm,
  P3: coldAndWarm,
  pairs: concurrent,
  P4: manySessions,
  P5: longLine,
  P6: idleSessions,
  P7: start,
  P8: bytesSent,
  P9: dashboardViewers,
  P10: endpointAtOnce,
  P10b: endpoint,
  P10c: bridge,
  P11: resumedTokens,
  P12: firstView,
  P12b: longTasks,
  P13: commandStart,
  P14: callers,
  M: projectReads,
  P15: toolHook,
  P16: orphans,
  T: transcriptFiles,
  H: hosts,
  C: manyHosts,
  C2: acrossHosts,
  C6: hostsAtOnce,
  C7: withoutCluster,
  K: channels,
  I: insight,
  I2: driftOfMany,
}
/** Take long: only by their names. `npm run bench -- growth small` for a look. */
const named: Readonly<Record<string, () => Promise<readonly Row[]>>> = { growth, days: quickDays }

const wanted = process.argv.slice(2)
const chosen = new Set(
  [
    ...Object.entries(scenarios).filter(([name]) => wanted.length === 0 || wanted.includes(name)),
    ...Object.entries(named).filter(([name]) => wanted.includes(name)),
  ].map(([, run]) => run),
)
const [load = 0] = loadavg()
const rows: Row[] = []
for (const run of chosen) {
  for (const row of await run()) {
    rows.push(row)
    console.log(`${row.id.padEnd(6)}${row.what.padEnd(66)}${row.measured.padEnd(60)}${row.aim}`)
  }
}
mkdirSync('.bench', { recursive: true })
writeFileSync(
  '.bench/latest.json',
  `${JSON.stringify({ at: new Date().toISOString(), node: process.version, rows }, null, 2)}\n`,
)
// The run is in the working copy only: the person who ran it decides whether to commit it.
appendFileSync('bench/history.csv', historyLines(rows, { at: new Date().toISOString(), commit: currentCommit(), load }))
process.exit(0)

/** A checkout without git is measured all the same. */
function currentCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--exclude=*', '--dirty=+'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}
