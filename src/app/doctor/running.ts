import { existsSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { systemClock } from '../../base/lib/clock.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { daemonFileIn } from '../../base/protocol/daemon.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import { lineageOf } from '../../platform/callers/lineage.ts'
import { describeProcess, listenerOn } from '../../platform/callers/listener.ts'
import { usualPort } from '../../platform/config/schema.ts'
import { sweep } from '../../platform/machine/local-processes.ts'
import { taggedProcesses } from '../../platform/machine/process-tag.ts'
import { lockInstance } from '../../platform/store/instance-lock.ts'
import type { CheckContext, Diagnosis } from './check-context.ts'

const graceMs = 1000

/** Whether a daemon runs, who holds the lock, and whether a dead daemon left its file. */
export async function lock({ daemon, lock: held, paths }: CheckContext): Promise<readonly Diagnosis[]> {
  const check = 'lock'
  if (held.state === 'unknown') {
    const detail = `${paths.lock} cannot be read: ${held.why}`
    return [{ check, state: 'fail', detail, remedy: `See who owns it: ls -l ${paths.lock}` }]
  }
  if (held.state === 'broken') {
    return [
      {
        check,
        state: 'fail',
        detail: `${paths.lock} is damaged; it holds no data`,
        remedy: `rm ${paths.lock}`,
        async fix() {
          rmSync(paths.lock, { force: true })
          return `removed the damaged ${paths.lock}`
        },
      },
    ]
  }
  if (held.state === 'held') return [heldLock(held.pid, daemon)]
  return existsSync(paths.daemonFile)
    ? [left(paths)]
    : [{ check, state: 'ok', detail: 'no daemon is running, and none left files behind' }]
}

function heldLock(pid: number | undefined, daemon: CheckContext['daemon']): Diagnosis {
  const check = 'lock'
  const who = pid === undefined ? 'a process' : `process ${pid}`
  if (daemon === undefined) {
    const remedy = pid === undefined ? 'iris status' : `kill ${pid}, if this persists (accepted messages are kept)`
    return { check, state: 'fail', detail: `${who} holds the lock and does not answer`, remedy }
  }
  if (daemon.version !== irisVersion) {
    const detail = `the daemon (pid ${daemon.pid}) is Iris ${daemon.version}, this is ${irisVersion}`
    return { check, state: 'warn', detail, remedy: 'iris restart' }
  }
  return { check, state: 'ok', detail: `held by the daemon (pid ${daemon.pid}, port ${daemon.port})` }
}

function left({ daemonFile, lock: path }: CheckContext['paths']): Diagnosis {
  const pid = daemonFileIn(textOf(daemonFile))?.pid
  return {
    check: 'lock',
    state: 'warn',
    detail: `a dead daemon${pid === undefined ? '' : ` (pid ${pid})`} left ${daemonFile}`,
    remedy: `rm ${daemonFile}`,
    fix: async () =>
      alone(path, async () => {
        rmSync(daemonFile, { force: true })
        return `removed ${daemonFile}, which a dead daemon left`
      }),
  }
}

/** Processes with the tag of this Iris while no daemon runs. */
export async function orphans({ lock: held, paths, irisTag }: CheckContext): Promise<readonly Diagnosis[]> {
  const check = 'orphans'
  if (held.state !== 'free') return [{ check, state: 'ok', detail: 'every process of Iris belongs to the daemon' }]
  const own = [process.pid, ...(await lineageOf(process.ppid))]
  const pids = (await taggedProcesses(irisTag)).filter((pid) => !own.includes(pid))
  if (pids.length === 0) return [{ check, state: 'ok', detail: 'no dead daemon left a process behind' }]
  const named = await Promise.all(pids.map(describeProcess))
  return [
    {
      check,
      state: 'warn',
      detail: `a dead daemon left: ${named.join(', ')}`,
      remedy: `kill ${pids.join(' ')}`,
      fix: () =>
        alone(paths.lock, async () => {
          const ended = await sweep(irisTag, graceMs, systemClock)
          return ended === 0 ? undefined : `ended ${ended} process${ended === 1 ? '' : 'es'} of a dead daemon`
        }),
    },
  ]
}

/** Does `work` while it holds the lock, so that no daemon runs meanwhile. Throws `already_running`. */
async function alone(path: string, work: () => Promise<string | undefined>): Promise<string | undefined> {
  const letGo = lockInstance(path, () => '')
  try {
    return await work()
  } finally {
    letGo()
  }
}

export async function port({ config, daemon }: CheckContext): Promise<readonly Diagnosis[]> {
  const check = 'port'
  const wanted = config.settings.httpPort
  if (daemon !== undefined) return [{ check, state: 'ok', detail: `Iris answers on port ${daemon.port}` }]
  if (await isFree(wanted)) {
    return [{ check, state: 'ok', detail: wanted === 0 ? 'any free one' : `${wanted} is free` }]
  }
  const holder = (await listenerOn(wanted)) ?? 'another program'
  if (wanted === usualPort)
    return [{ check, state: 'ok', detail: `${holder} has port ${wanted}: Iris takes the next free one` }]
  const remedy = 'iris config set settings.httpPort <another port>, or end that program'
  return [{ check, state: 'fail', detail: `${holder} has port ${wanted}`, remedy }]
}

function isFree(wanted: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function textOf(path: string): string {
  try {
    return plainFile(path)
  } catch {
    return ''
  }
}
