import { join } from 'node:path'
import type { AgentKind } from '../protocol/operations/agents.ts'
import { builtIn } from './built-in.ts'
import { discoverProject } from './project.ts'
import { readTextFile } from './project-file.ts'
import { ProjectReader } from './project-reader.ts'
import { TemplateError } from './template-error.ts'
import type { Variables } from './template-helpers.ts'
import { renderTemplate } from './template-render.ts'
import { parseTemplate, type Template } from './template-tree.ts'

export interface PromptRequest {
  readonly kind: AgentKind
  /** The project's directory, real path. */
  readonly directory: string
  /** Iris's home. */
  readonly home: string
  /** The caller's variables; they win over what is found. */
  readonly context: Variables
  readonly withGitDiff: boolean
}

export interface AgentPrompt {
  readonly prompt: string
  readonly source: 'project' | 'home' | 'built-in'
  readonly path?: string
  /** Files that could not be used, and why. */
  readonly warnings: readonly string[]
}

const mostTemplateBytes = 65_536

/**
 * The prompt for a specialist in a project. A template that cannot be used gives way to the next one, with a warning.
 * Throws a TemplateError when the variables are too large even for Iris's own.
 */
export async function agentPrompt(request: PromptRequest): Promise<AgentPrompt> {
  const reader = new ProjectReader(request.directory)
  const found = await discoverProject(reader, request.kind, request.withGitDiff)
  const variables = { ...found, ...request.context }
  const { warnings } = reader
  for (const { source, directory, name, shown } of placesOf(request)) {
    const file = await readTextFile(directory, name, { mostBytes: mostTemplateBytes, linksMayLeave: source === 'home' })
    if (file.kind === 'absent') continue
    const tried = file.kind === 'text' ? attempt(file.text, variables) : file
    if (typeof tried === 'string') return { prompt: tried, source, path: join(directory, name), warnings }
    reader.refuse(shown, tried.problem)
  }
  return { prompt: render(builtIn(request.kind)!, variables), source: 'built-in', warnings }
}

/** Where templates lie besides Iris's own, in the order in which they are looked for. */
function placesOf({ kind, directory, home }: PromptRequest) {
  const ofProject = `.iris/templates/${kind}.hbs`
  const ofHome = `templates/${kind}.hbs`
  return [
    { source: 'project', directory, name: ofProject, shown: ofProject },
    { source: 'home', directory: home, name: ofHome, shown: join(home, ofHome) },
  ] as const
}

function attempt(source: string, variables: Variables): string | { readonly problem: string } {
  try {
    return render(parseTemplate(source), variables)
  } catch (error) {
    if (error instanceof TemplateError) return { problem: error.message }
    throw error
  }
}

function partial(name: string): Template | undefined {
  return name.startsWith('base/') ? builtIn(name.slice('base/'.length)) : undefined
}

function render(template: Template, variables: Variables): string {
  try {
    return `${renderTemplate(template, variables, partial).trim()}\n`
  } catch (error) {
    // JSON.stringify gives up on what is nested thousands of levels deep.
    throw error instanceof RangeError ? new TemplateError('a value is too large or nested too deep') : error
  }
}
