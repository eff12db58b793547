import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname } from 'node:path'
import { littleSpace, spaceAt } from '../../base/lib/disk-space.ts'
import { fileSize } from '../../base/lib/file-size.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { processBytes } from '../../kernel/pool/prewarm.ts'
import { lineageOf } from '../../platform/callers/lineage.ts'
import { residentBytes } from '../../platform/machine/local-processes.ts'
import { mostOpenFiles, openFilesFor, refuseFewOpenFiles } from '../../platform/machine/open-files.ts'
import { taggedProcesses } from '../../platform/machine/process-tag.ts'
import type { CheckContext } from './check-context.ts'

/** The share of memory for Iris's processes; the rest is for everything else. */
const share = 0.75

export async function disk({ home }: Pick<CheckContext, 'home'>, at = spaceAt): Promise<readonly Finding[]> {
  const check = 'disk'
  const place = existingParent(home)
  const space = await at(place)
  if (space === undefined)
    return [{ check, state: 'ok', detail: `the system does not report the free space on the disk of ${place}` }]
  const free = `${fileSize(space.freeBytes)} are free on the disk of ${place}`
  if (space.freeBytes >= littleSpace) return [{ check, state: 'ok', detail: free }]
  return [
    { check, state: 'fail', detail: `only ${free}`, remedy: `du -xh -d 2 ${home} | sort -h (shows what fills it)` },
  ]
}

function existingParent(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : existingParent(dirname(path))
}

/** Whether the memory is enough for `maxProcesses` processes. */
export async function memory(context: CheckContext): Promise<readonly Finding[]> {
  const check = 'memory'
  const { maxProcesses } = context.config.settings
  const measured = await largestProcess(context.irisTag)
  const each = Math.max(measured ?? 0, processBytes)
  const limit = process.constrainedMemory()
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  const detail = `${maxProcesses} processes of about ${fileSize(each)}, of ${fileSize(total)}`
  if (maxProcesses * each <= total * share) return [{ check, state: 'ok', detail }]
  const fitting = Math.max(1, Math.floor((total * share) / each))
  return [
    { check, state: 'warn', detail: `too many: ${detail}`, remedy: `iris config set settings.maxProcesses ${fitting}` },
  ]
}

/**
 * Whether this shell may open enough files for `maxProcesses` processes; a daemon started from it inherits the limit.
 */
export function openFiles({ config }: Pick<CheckContext, 'config'>, most = mostOpenFiles()): readonly Finding[] {
  const check = 'files'
  refuseFewOpenFiles(most)
  if (most === Number.POSITIVE_INFINITY) return [{ check, state: 'ok', detail: 'the system sets no limit' }]
  const detail = `${most} files may be open at once`
  const needed = openFilesFor(config.settings.maxProcesses)
  if (most >= needed) return [{ check, state: 'ok', detail }]
  const remedy = `ulimit -n ${needed} (where Iris is started)`
  return [{ check, state: 'warn', detail: `only ${detail}, and maxProcesses needs ${needed}`, remedy }]
}

/** Memory of the largest process that Iris started, including everything that it started, in bytes. */
async function largestProcess(irisTag: string): Promise<number | undefined> {
  const tagged = await taggedProcesses(irisTag)
  const sizes: number[] = []
  for (const pid of tagged) {
    const [, ...ancestors] = await lineageOf(pid)
    if (!ancestors.some((ancestor) => tagged.includes(ancestor))) sizes.push((await residentBytes(pid)) ?? 0)
  }
  return sizes.length === 0 ? undefined : Math.max(...sizes)
}
