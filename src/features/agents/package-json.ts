import { isRecord } from '../../base/lib/is-record.ts'
import type { ProjectReader } from './project-reader.ts'

export interface PackageFacts {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly framework: string | undefined
  readonly testingFramework: string | undefined
}

type Marks = readonly (readonly [name: string, packages: readonly string[]])[]

/** A framework that builds on another comes before it: a project with Next.js has React too. */
const frameworks: Marks = [
  ['Next.js', ['next']],
  ['Nuxt', ['nuxt']],
  ['Remix', ['@remix-run/react', '@remix-run/node']],
  ['React Router', ['@react-router/dev']],
  ['TanStack Start', ['@tanstack/react-start', '@tanstack/solid-start']],
  ['Gatsby', ['gatsby']],
  ['Astro', ['astro']],
  ['SvelteKit', ['@sveltejs/kit']],
  ['SolidStart', ['@solidjs/start']],
  ['Expo', ['expo']],
  ['React Native', ['react-native']],
  ['NestJS', ['@nestjs/core']],
  ['AdonisJS', ['@adonisjs/core']],
  ['Angular', ['@angular/core']],
  ['React', ['react']],
  ['Preact', ['preact']],
  ['Vue', ['vue']],
  ['Svelte', ['svelte']],
  ['Solid', ['solid-js']],
  ['Fastify', ['fastify']],
  ['Hono', ['hono']],
  ['Koa', ['koa']],
  ['hapi', ['@hapi/hapi']],
  ['Express', ['express']],
]

/** Runners of unit tests come before tools that drive a browser. */
const testingFrameworks: Marks = [
  ['Vitest', ['vitest']],
  ['Jest', ['jest', '@jest/core', 'ts-jest', 'jest-expo']],
  ['Mocha', ['mocha']],
  ['Jasmine', ['jasmine', 'jasmine-core']],
  ['AVA', ['ava']],
  ['Tape', ['tape']],
  ['uvu', ['uvu']],
  ['Playwright', ['@playwright/test']],
  ['Cypress', ['cypress']],
]

/** The facts in package.json; undefined if there is no usable package.json. */
export async function readPackageJson(reader: ProjectReader): Promise<PackageFacts | undefined> {
  const text = await reader.text('package.json', { mostBytes: 1_048_576 })
  if (text === undefined) return undefined
  const content = parsed(text)
  if (!isRecord(content)) {
    reader.refuse('package.json', content === undefined ? 'it is not JSON' : 'it is not a JSON object')
    return undefined
  }
  const lists = Object.fromEntries(
    (['dependencies', 'devDependencies', 'peerDependencies'] as const).map((key) => [
      key,
      versions(content, key, reader),
    ]),
  ) as Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>
  const has = (name: string): boolean => Object.values(lists).some((list) => Object.hasOwn(list, name))
  return {
    name: textAt(content, 'name'),
    version: textAt(content, 'version'),
    dependencies: lists.dependencies,
    devDependencies: lists.devDependencies,
    framework: firstOf(frameworks, has),
    testingFramework: firstOf(testingFrameworks, has) ?? nodeTest(content),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function versions(content: Record<string, unknown>, key: string, reader: ProjectReader): Record<string, string> {
  const list = content[key]
  if (list === undefined) return {}
  if (isRecord(list)) {
    return Object.fromEntries(
      Object.entries(list).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  }
  reader.warnings.push(`package.json: ${key} is not used: it is not a JSON object.`)
  return {}
}

function textAt(content: Record<string, unknown>, key: string): string | undefined {
  const value = content[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function firstOf(marks: Marks, has: (name: string) => boolean): string | undefined {
  return marks.find(([, packages]) => packages.some(has))?.[0]
}

/** Node's own test runner is not a package; a script calls it. */
function nodeTest({ scripts }: Record<string, unknown>): string | undefined {
  const test = isRecord(scripts) ? scripts['test'] : undefined
  const words = typeof test === 'string' ? test.split(/\s+/) : []
  return words.includes('node') && words.includes('--test') ? 'node:test' : undefined
}
