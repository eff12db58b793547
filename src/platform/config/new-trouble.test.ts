import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { changeConfig, setValue } from './change-text.ts'
import { ConfigEditor } from './editor.ts'

const two = 'teams:\n  gone: { path: ~/projects/gone }\n  backend: { path: ~/projects/backend }\n'

test('a team without its directory stays out of the way of the others', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load(two)
  expect(teams.get('gone')).toMatchObject({ realPath: join(disk.root, 'projects/gone'), unusable: expect.anything() })
  expect(teams.get('backend')?.unusable).toBeUndefined()
  await mkdir(join(disk.root, 'projects/gone'))
  expect(await disk.unusable()).toEqual([])
})

test('a change beside it is written, and one that names another directory that is not there is a mistake', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/config.yaml', two)
  const options = { home: disk.home, env: { HOME: disk.root } }
  const set = (path: string[], value: string) => changeConfig(options, (document) => setValue(document, path, value))
  await set(['teams', 'backend', 'model'], 'opus')
  expect(await readFile(join(disk.home, 'config.yaml'), 'utf8')).toContain('model: opus')
  const mistake = /teams\.gone\.path\n {2}Value: {3}"~\/projects\/goen"\n {2}Problem: does not exist/
  await expect(set(['teams', 'gone', 'path'], '~/projects/goen')).rejects.toThrow(mistake)
  await expect(set(['teams', 'backend', 'path'], '~/projects/nowhere')).rejects.toThrow(/teams\.backend\.path/)
  expect(await readFile(join(disk.home, 'config.yaml'), 'utf8')).not.toMatch(/goen|nowhere/)
})

test('an editor of the daemon tells it in the same way', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load(two)
  const editor = new ConfigEditor({ env: { HOME: disk.root }, config: () => config })
  expect(await editor.check(`${two}  # a remark\n`)).toEqual({ problems: [], changes: [] })
  const { problems } = await editor.check(two.replace('projects/backend', 'projects/nowhere'))
  expect(problems).toMatchObject([
    { key: 'teams.backend.path', line: 3, problem: expect.stringContaining('not contain "nowhere"') },
  ])
  // A directory that vanishes while its line stays as it was is nobody's mistake.
  await rm(join(disk.root, 'projects/backend'), { recursive: true })
  expect((await editor.check(two)).problems).toEqual([])
})
