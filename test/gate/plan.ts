import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A test file in one of vitest's projects, which are the tiers: `elsewhere` runs files of `standard` a second time. */
export interface TestFile {
  readonly project: string
  /** From the root of the repository. */
  readonly file: string
}

/** What a program of this folder wants of one vitest run. vitest.config.ts reads it. */
export interface Plan {
  /** Where the run writes its record. */
  readonly record: string
  /** The only files to run, in this order. Without it: all files of the mode. */
  readonly files?: readonly TestFile[] | undefined
  /** Whether each file has its own process; overrides what the projects say. */
  readonly isolate?: boolean | undefined
  readonly maxWorkers?: number | undefined
  /** A file that runs for longer is ended. */
  readonly limitMs: number
}

/** The variable with the path of the plan. `scripts/test` passes no variable on, so only this folder can set it. */
export const planVariable = 'IRIS_TEST_PLAN'

/** Takes the variable away: a test that runs vitest itself must not write into the record of this run. */
export function readPlan(): Plan | undefined {
  const path = process.env[planVariable]
  delete process.env[planVariable]
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Plan)
}

export const keyOf = ({ project, file }: TestFile): string => `${project} ${file}`

interface Project {
  readonly test: { readonly name: string; readonly include: readonly string[] }
}

/** The projects of vitest.config.ts as the plan wants them: those without a file in it are left out. */
export function plannedProjects<T extends Project>(projects: readonly T[], plan: Plan): T[] {
  return projects.flatMap((project) => {
    const own = plan.files?.filter((each) => each.project === project.test.name).map(({ file }) => file)
    if (own?.length === 0) return []
    const { isolate, maxWorkers } = plan
    const test = {
      ...project.test,
      ...(own && { include: own }),
      ...(isolate !== undefined && { isolate }),
      ...(maxWorkers !== undefined && { maxWorkers }),
    }
    return [{ ...project, test }]
  })
}

/** As vitest describes a file to run. */
interface Specification {
  readonly moduleId: string
  readonly project: { readonly name: string; readonly config: { readonly root: string } }
}

/** Files of one project stay together, because a shared process ends when the next file belongs to another project. */
export function inPlannedOrder<T extends Specification>(specifications: readonly T[], plan: Plan): T[] {
  const places = new Map(plan.files?.map((each, index) => [keyOf(each), index]))
  const projects = [...new Set(plan.files?.map(({ project }) => project))]
  const place = ({ moduleId, project }: T): number =>
    projects.indexOf(project.name) * places.size +
    places.get(keyOf({ project: project.name, file: relative(project.config.root, moduleId) }))!
  return specifications.toSorted((a, b) => place(a) - place(b))
}
