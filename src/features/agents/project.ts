import { basename } from 'node:path'
import { readContextFile } from './context-file.ts'
import type { AgentKind } from './contract/agents.ts'
import { readManifests } from './manifests.ts'
import { readPackageJson } from './package-json.ts'
import type { ProjectReader } from './project-reader.ts'
import type { Variables } from './template-helpers.ts'
import { workPatterns } from './work-patterns.ts'

const maxOfClaudeMd = 32_768

/** The variables of a template that a project's own files provide. Those without a value are left out. */
export async function discoverProject(
  reader: ProjectReader,
  kind: AgentKind,
  withGitDiff: boolean,
): Promise<Variables> {
  const [packageJson, manifests, claudeMd, customVars, tsconfig] = await Promise.all([
    readPackageJson(reader),
    readManifests(reader),
    reader.text('CLAUDE.md', { mostBytes: maxOfClaudeMd, cut: true }),
    readContextFile(reader),
    reader.find('tsconfig.json', { mostBytes: 0, cut: true }),
  ])
  const gitDiff = withGitDiff ? await reader.gitDiff() : undefined
  const { dependencies = {}, devDependencies = {} } = packageJson ?? {}
  const hasTypeScript = tsconfig.kind === 'text' || 'typescript' in { ...dependencies, ...devDependencies }
  const own = hasTypeScript ? ['TypeScript'] : packageJson ? ['JavaScript'] : []
  const languages = [...own, ...manifests.map(({ language }) => language)]
  const found = [packageJson, ...manifests]
  const first = (key: 'name' | 'framework' | 'testingFramework') => found.find((facts) => facts?.[key])?.[key]
  const facts = {
    projectName: first('name') ?? basename(reader.directory),
    version: packageJson?.version,
    language: languages[0],
    languages,
    hasTypeScript,
    framework: first('framework'),
    testingFramework: first('testingFramework'),
    dependencies: unlessEmpty(dependencies),
    devDependencies: unlessEmpty(devDependencies),
    ...workPatterns(kind, languages),
    claudeMd: claudeMd?.trim() || undefined,
    customVars,
    instructions: instructionsOf(customVars, kind),
    gitDiff: gitDiff || undefined,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/** Undefined for an empty mapping, which `{{#if}}` would take as true. */
function unlessEmpty(list: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  return Object.keys(list).length > 0 ? list : undefined
}

/** The instructions in context.yaml: first those for every specialist, then those for this one. */
function instructionsOf(customVars: Variables | undefined, kind: AgentKind): readonly string[] {
  const texts = [customVars?.['instructions'], customVars?.[kind]]
  return texts.flatMap((text) => (typeof text === 'string' ? text.trim() || [] : []))
}
