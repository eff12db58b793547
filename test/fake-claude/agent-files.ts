import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** An agent as a file of a project or of the user defines it. */
export interface AgentFile {
  readonly name: string
  readonly description: string
  readonly model?: string
  /** Absent: every tool. */
  readonly tools?: readonly string[]
  readonly prompt: string
}

/** The agents of this directory, of those above it, and of the user; the first with a name counts. */
export function agentFiles(cwd: string, configDirectory: string): readonly AgentFile[] {
  const above = (directory: string): string[] =>
    dirname(directory) === directory ? [directory] : [directory, ...above(dirname(directory))]
  const places = [...above(cwd).map((directory) => join(directory, '.claude')), configDirectory]
  const found = new Map<string, AgentFile>()
  for (const directory of places.map((place) => join(place, 'agents')).filter(isDirectory)) {
    for (const file of readdirSync(directory).filter((name) => name.endsWith('.md'))) {
      const path = join(directory, file)
      // What else has that name may be a pipe, on which it would wait.
      const agent = statOf(path)?.isFile() ? read(readFileSync(path, 'utf8')) : undefined
      if (agent && !found.has(agent.name)) found.set(agent.name, agent)
    }
  }
  return [...found.values()]
}

function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false
}

/** Undefined also for a link that leads nowhere. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function read(text: string): AgentFile | undefined {
  const [, head = '', prompt = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? []
  const {
    name,
    description = '',
    model,
    tools,
  } = Object.fromEntries(
    head.split('\n').map((line) => [line.split(':', 1)[0]!, line.slice(line.indexOf(':') + 1).trim()]),
  )
  if (name === undefined) return undefined
  return { name, description, prompt, ...(model && { model }), ...(tools && { tools: tools.split(/, */) }) }
}
