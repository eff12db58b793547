import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mistake, temporaryHome } from '../../../test/support/temporary-home.ts'
import { Listings } from '../machine/directory.ts'
import { ProblemList } from './problem.ts'
import { findDirectories } from './team-directories.ts'

const teamAt = (path: string) => `teams:\n  a:\n    path: ${path}`
const pathMistake = (...rows: [value: string, problem: string, allowed: string, remedy: string]) =>
  mistake('3:5', 'teams.a.path', ...rows)

describe('a path that leads nowhere', () => {
  test('is told from where on it is wrong', async () => {
    await using disk = await temporaryHome()
    expect(await disk.unusable(teamAt('~/projects/back/src'))).toEqual([
      'The directory of team "a", /r/projects/back/src, does not exist: /r/projects does not contain "back". Correct the path, create the directory, or remove the team with "iris config unset teams.a".',
    ])
  })

  test.for([
    ['projects/backend', '/r/iris/projects/backend'],
    ['./x', '/r/iris/x'],
    ['~ada/x', '/r/iris/~ada/x'],
  ])('is relative: %s', async ([path, candidate]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(teamAt(path!))).toBe(
      pathMistake(
        JSON.stringify(path),
        'is a relative path',
        'an absolute path, or one that begins with ~/',
        `Write the full path: ${candidate}, if you meant it relative to config.yaml.`,
      ),
    )
  })

  test('is a file', async () => {
    await using disk = await temporaryHome()
    await disk.write('projects/notes.md', '')
    expect(await disk.unusable(teamAt('~/projects/notes.md'))).toEqual([
      'The directory of team "a", /r/projects/notes.md, is a file. Name the directory that it is in.',
    ])
  })

  test('goes through a file', async () => {
    await using disk = await temporaryHome()
    await disk.write('notes.md', '')
    expect(await disk.unusable(teamAt(`${disk.root}/notes.md/x`))).toEqual([
      'The directory of team "a", /r/notes.md/x, cannot be accessed (ENOTDIR). See why with: ls -ld "/r/notes.md/x"',
    ])
  })

  test('is a ring of links', async () => {
    await using disk = await temporaryHome()
    await symlink('ring', `${disk.root}/ring`)
    expect(await disk.unusable(teamAt('~/ring'))).toEqual([
      'The directory of team "a", /r/ring, cannot be accessed (ELOOP). See why with: ls -ld "/r/ring"',
    ])
  })
})

describe('the spelling on the disk counts', () => {
  const otherwise = 'is spelled differently on the disk; capitals matter'

  test.for([
    ['~/projects/Backend', '/r/projects/backend'],
    ['~/PROJECTS/backend/.', '/r/projects/backend'],
    ['~/PROJECTS/../Projects/FRONTEND', '/r/projects/../projects/frontend'],
  ])('%s is not %s', async ([path, spelling]) => {
    await using disk = await temporaryHome()
    const shown = `/r${path!.slice(1)}`
    expect(await disk.unusable(teamAt(path!))).toEqual([
      `The directory of team "a", ${shown}, ${otherwise}. Write ${spelling}.`,
    ])
  })

  test('and so does that of a link, not that of its target', async () => {
    await using disk = await temporaryHome()
    await mkdir(`${disk.root}/projects/Target`)
    await symlink('Target', `${disk.root}/projects/Link`)
    expect(await disk.unusable(teamAt('~/projects/link'))).toEqual([
      `The directory of team "a", /r/projects/link, ${otherwise}. Write /r/projects/Link.`,
    ])
    expect((await disk.load(teamAt('~/projects/Link'))).teams.get('a')).toMatchObject({
      path: `${disk.root}/projects/Link`,
      realPath: `${disk.root}/projects/Target`,
    })
  })

  test.runIf(process.platform === 'linux')('where both spellings exist each is what it says', async () => {
    await using disk = await temporaryHome()
    await mkdir(`${disk.root}/projects/BACKEND`)
    const { teams } = await disk.load('teams: { a: { path: ~/projects/backend }, b: { path: ~/projects/BACKEND } }')
    expect([...teams.values()].map(({ realPath }) => realPath.slice(disk.root.length))).toEqual([
      '/projects/backend',
      '/projects/BACKEND',
    ])
  })
})

test.for(['with spaces', 'dots.and_underscores', 'größe 日本', '-dash', "it's"])(
  'a directory named %j is found',
  async (name) => {
    await using disk = await temporaryHome()
    await mkdir(`${disk.root}/projects/${name}`)
    const { teams } = await disk.load(teamAt(JSON.stringify(`~/projects/${name}`)))
    expect(teams.get('a')?.realPath).toBe(`${disk.root}/projects/${name}`)
  },
)

test('two teams cannot name the same directory', async () => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes('teams:\n  a: { path: ~/projects/backend }\n  b: { path: ~/projects/./backend }')).toBe(
    mistake(
      '3:8',
      'teams.b.path',
      '"~/projects/./backend"',
      'teams a and b lead to the same directory, /r/projects/backend',
      'one team for each directory',
      'Remove one of the two, or give b another path.',
    ),
  )
})

test.for(['a', 'b'])('a link to the directory of another team breaks the team of the link: %s', async (link) => {
  await using disk = await temporaryHome()
  await symlink('backend', `${disk.root}/projects/link`)
  const path = (name: string): string => `${name}: { path: ~/projects/${name === link ? 'link' : 'backend'} }`
  const { teams, unusable } = await disk.load(`teams: { ${path('a')}, ${path('b')} }`)
  const other = link === 'a' ? 'b' : 'a'
  expect(unusable.map(({ what, remedy }) => `${what} ${remedy}`.replaceAll(disk.root, '/r'))).toEqual([
    `The directory of team "${link}", /r/projects/link, leads to the directory of team ${other}, /r/projects/backend. Remove one of the two, or give ${link} another path.`,
  ])
  expect(teams.get(other)).toEqual(expect.not.objectContaining({ unusable: expect.anything() }))
  expect(teams.get(link)).toMatchObject({ realPath: `${disk.root}/projects/link`, unusable: expect.anything() })
})

test('one team may lie inside another', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load('teams: { all: { path: ~/projects }, backend: { path: ~/projects/backend } }')
  expect([...teams.keys()]).toEqual(['all', 'backend'])
})

describe('where teams may be', () => {
  test('without roots: only where the directory is the user’s own', async () => {
    await using disk = await temporaryHome()
    const uid = (process.getuid?.() ?? 0) + 1
    const tree = { teams: { a: { path: '~/projects/backend' } } }
    const context = { home: disk.home, env: { HOME: disk.root }, uid, problems: new ProblemList('config.yaml') }
    const { unusable } = await findDirectories(tree, context)
    expect(unusable).toMatchObject([
      {
        team: 'a',
        what: `The directory of team "a", ${disk.root}/projects/backend, belongs to another user.`,
        remedy: `Name a directory above it under settings.allowedRoots, if you trust the contents of ${disk.root}/projects/backend.`,
      },
    ])
  })

  const withRoots = (roots: string, path: string) => `settings: { allowedRoots: [${roots}] }\n${teamAt(path)}`

  test('inside a root they may belong to anyone', async () => {
    await using disk = await temporaryHome()
    const uid = (process.getuid?.() ?? 0) + 1
    expect(await disk.mistakes(withRoots('~/projects', '~/projects/backend'), {}, uid)).not.toContain('teams.a')
  })

  test('a root may be a link', async () => {
    await using disk = await temporaryHome()
    await symlink('projects', `${disk.root}/work`)
    const { settings } = await disk.load(withRoots('~/work', '~/projects/backend'))
    expect(settings.allowedRoots).toEqual([`${disk.root}/projects`])
  })

  const outside = (path: string, real: string) =>
    `The directory of team "a", ${path}, leads to ${real}, which is not inside any of settings.allowedRoots. Move the project, or add a directory above it to settings.allowedRoots.`

  test('a name that only begins like a root is outside', async () => {
    await using disk = await temporaryHome()
    await mkdir(`${disk.root}/projects/backend2`)
    expect(await disk.unusable(withRoots('~/projects/backend, ~/iris', '~/projects/backend2'))).toEqual([
      outside('/r/projects/backend2', '/r/projects/backend2'),
    ])
  })

  test('a link cannot lead out', async () => {
    await using disk = await temporaryHome()
    await symlink('../../iris', `${disk.root}/projects/backend/link`)
    const yaml = withRoots('~/projects', '~/projects/backend/link')
    expect(await disk.unusable(yaml)).toEqual([outside('/r/projects/backend/link', '/r/iris')])
    // Nothing may happen where it leads.
    expect((await disk.load()).teams.get('a')?.realPath).toBe(`${disk.root}/projects/backend/link`)
  })

  test('a root that is gone breaks only what is not inside another one', async () => {
    await using disk = await temporaryHome()
    await writeFile(`${disk.root}/file`, '')
    const rest = 'A root of settings.allowedRoots'
    expect(await disk.unusable(withRoots('~/nowhere, ~/file, ~/projects', '~/projects/backend'))).toEqual([
      `${rest}, /r/nowhere, does not exist: /r does not contain "nowhere". Correct the path, or create the directory.`,
      `${rest}, /r/file, is a file. Name the directory that it is in.`,
    ])
    expect(await disk.unusable(withRoots('~/nowhere', '~/projects/backend'))).toEqual([
      expect.stringContaining('/r/nowhere'),
      outside('/r/projects/backend', '/r/projects/backend'),
    ])
  })

  test('a root that is no path is the only mistake', async () => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(withRoots('nowhere', '~/projects/backend'))).toBe(
      mistake(
        '1:28',
        'settings.allowedRoots[0]',
        '"nowhere"',
        'is a relative path',
        'an absolute path, or one that begins with ~/',
        'Write the full path: /r/iris/nowhere, if you meant it relative to config.yaml.',
      ),
    )
  })
})

test('the directories of many teams beside one another are listed once, not once for each team', async () => {
  const namesRead = async (count: number): Promise<number> => {
    await using disk = await temporaryHome()
    const names = Array.from({ length: count }, (_, at) => `project${at}`)
    const at = (name: string): string => join(disk.root, 'many', name)
    await Promise.all(names.map((name) => mkdir(at(name), { recursive: true })))
    let read = 0
    const listings = new Listings(async (directory) => {
      const found = await readdir(directory)
      // Other entries on this disk are not counted.
      read += found.filter((name) => /^project\d/.test(name)).length
      return found
    })
    const tree = { teams: Object.fromEntries(names.map((name) => [name, { path: at(name) }])) }
    const context = {
      home: disk.root,
      env: {},
      uid: process.getuid?.(),
      problems: new ProblemList('config.yaml'),
      listings,
    }
    expect((await findDirectories(tree, context)).teams.size).toBe(count)
    return read
  }
  expect(await namesRead(4)).toBe(4)
  expect(await namesRead(40)).toBe(40)
})
