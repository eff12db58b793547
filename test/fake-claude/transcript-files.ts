import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The transcript of a session in this home, looked for as Iris looks for it; undefined while there is none. */
export function transcriptPath(home: string, sessionId: string): string | undefined {
  const projects = join(home, '.claude', 'projects')
  const slugs = existsSync(projects) ? readdirSync(projects) : []
  return slugs.map((slug) => join(projects, slug, `${sessionId}.jsonl`)).find((path) => existsSync(path))
}

export function transcriptText(home: string, sessionId: string): string {
  const path = transcriptPath(home, sessionId)
  return path === undefined ? '' : readFileSync(path, 'utf8')
}
