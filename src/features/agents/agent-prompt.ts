import { join } from 'node:path'
import type { ReadOptions } from '../../platform/machine/machine.ts'
import { builtIn } from './built-in.ts'
import type { AgentKind } from './contract/agents.ts'
import { readHomeFile } from './home-file.ts'
import { discoverProject } from './project.ts'
import { type Project, ProjectReader } from './project-reader.ts'
import { TemplateError } from './template-error.ts'
import type { Variables } from './template-helpers.ts'
import { renderTemplate } from './template-render.ts'
import { parseTemplate, type Template } from './template-tree.ts'

export interface PromptRequest {
  readonly kind: AgentKind
  readonly project: Project
  /** Iris's home. */
  readonly home: string
  /** The caller's variables; they override those found in the project. */
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

const maxTemplateBytes = 65_536

/**
 * The prompt for a specialist in a project. If a template cannot be used, the next one is tried, and the result has a
 * warning. Throws a TemplateError when the variables are too large even for Iris's own template.
 */
export async function agentPrompt(request: PromptRequest): Promise<AgentPrompt> {
  const reader = new ProjectReader(request.project)
  const found = await discoverProject(reader, request.kind, request.withGitDiff)
  const variables = { ...found, ...request.context }
  const { warnings } = reader
  for (const { source, path, shown, find } of placesOf(request, reader)) {
    const file = await find({ mostBytes: maxTemplateBytes })
    if (file.kind === 'absent') continue
    const tried = file.kind === 'text' ? attempt(file.text, variables) : file
    if (typeof tried === 'string') return { prompt: tried, source, path, warnings }
    reader.refuse(shown, tried.problem)
  }
  return { prompt: render(builtIn(request.kind)!, variables), source: 'built-in', warnings }
}

/** The places of templates other than Iris's own, in the order in which Iris searches them. */
function placesOf({ kind, project: { directory }, home }: PromptRequest, reader: ProjectReader) {
  const file = `${kind}.hbs`
  const ofProject = `.iris/templates/${file}`
  const ofHome = join(home, 'templates', file)
  return [
    {
      source: 'project' as const,
      path: join(directory, ofProject),
      shown: ofProject,
      find: (limits: ReadOptions) => reader.find(ofProject, limits),
    },
    {
      source: 'home' as const,
      path: ofHome,
      shown: ofHome,
      find: (limits: ReadOptions) => readHomeFile(home, ['templates', file], limits),
    },
  ]
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
    // JSON.stringify throws a RangeError for a value that is nested thousands of levels deep.
    throw error instanceof RangeError ? new TemplateError('a value is too large or nested too deep') : error
  }
}
