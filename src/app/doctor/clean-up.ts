import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../base/protocol/finding.ts'
import { managedFiles } from '../../claude/driver/managed-settings.ts'
import { claudePrograms } from '../../kernel/pool/claude-programs.ts'
import type { CheckContext } from './check-context.ts'
import { jsonIn } from './json-in.ts'

const check = 'transcripts'
const key = 'cleanupPeriodDays'
/** After how many days Claude Code deletes transcripts by default. */
const defaultDays = 30

/** Checks whether Claude Code's own clean-up deletes transcripts that Iris still keeps. */
export async function cleanUp(context: CheckContext, files = managedFiles()): Promise<readonly Finding[]> {
  const managed = files.find((file) => typeof jsonIn(file)[key] === 'number')
  if (managed !== undefined) return [ofManaged(managed, Number(jsonIn(managed)[key]))]
  const directories = new Set(
    (await claudePrograms(context.config, context.env)).map(({ configDirectory }) => configDirectory),
  )
  return [...directories].map((directory) => ofPerson(directory, context))
}

/** Managed settings override everything that Iris passes to its processes. */
function ofManaged(file: string, days: number): Finding {
  const detail = `${file} makes Claude Code delete transcripts after ${days} days, also those of Iris, which restores each from its own copy`
  return {
    check,
    state: 'warn',
    detail,
    remedy: `Ask the administrator of ${file} to remove ${key}, or to set it longer than you keep conversations.`,
  }
}

function ofPerson(directory: string, { paths }: CheckContext): Finding {
  const settings = join(directory, 'settings.json')
  const set = jsonIn(settings)[key]
  const days = typeof set === 'number' ? set : defaultDays
  if (days === 0) {
    const detail = `${settings} tells Claude Code to keep no transcripts (${key}: 0): whenever your own claude starts, it deletes those of Iris`
    return {
      check,
      state: 'warn',
      detail,
      remedy: `Set ${key} in ${settings} to the number of days that you keep conversations.`,
    }
  }
  const kept = `Claude Code deletes transcripts after ${days} days; Iris keeps a hard link to each, and the processes that Iris starts delete no transcripts`
  if (isSameDisk(directory, paths.transcripts)) return { check, state: 'ok', detail: kept }
  return { check, state: 'ok', detail: `${kept} (a copy instead of a link, because ${directory} is on another disk)` }
}

function isSameDisk(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false })?.dev)
  return one === undefined || other === undefined || one === other
}
