import { expect, test } from 'vitest'
import type { Session } from '../../kernel/session/session.ts'
import { Collisions } from './collisions.ts'

function stage() {
  const published: unknown[] = []
  const config = () => ({
    teams: new Map([['backend', { realPath: '/shop', remote: undefined }]]),
    insight: { collisions: true, onCollision: 'tell' },
  })
  const collisions = new Collisions({ config, publish: (event: unknown) => void published.push(event) } as never)
  const session = (from: string) =>
    ({
      to: 'backend',
      running: { id: from },
      ids: { from, to: 'backend', thread: 'main' },
      turnOf: () => ({ id: from }),
    }) as unknown as Session
  const [one, two] = [session('frontend'), session('mobile')]
  let uses = 0
  const use = (by: Session, toolName: string, input: object) => {
    uses += 1
    return collisions.beforeTool(by, { toolName, toolUseId: `use${uses}`, input } as never)
  }
  return { collisions, one, two, use, published }
}

test.each(['cat f.txt', 'tail -f ./f.txt | head -3', 'sort "f.txt" >/tmp/out', "grep -n 'x' /shop/f.txt"])(
  'while "%s" runs, both agents hear that another message is about to change the file',
  (command) => {
    const { collisions, one, two, use, published } = stage()
    // Its command has begun, and nothing says that it has ended.
    expect(use(one, 'Bash', { command })).toBeUndefined()
    expect(use(two, 'Write', { file_path: '/shop/f.txt', content: '' })).toBeUndefined()
    expect(published).toMatchObject([
      { type: 'files-collided', path: 'f.txt', turnId: 'mobile', otherTurnId: 'frontend' },
    ])
    expect(collisions.noteFor(one)).toBe(
      'Iris: mobile→backend is about to change f.txt, which you have named in a command. Read it again.',
    )
    expect(collisions.noteFor(two)).toContain(
      'frontend→backend is still working. It named f.txt in a command before your change.',
    )
  },
)

test('a file that was written stays so, whatever commands name it; and words leave room for writes', () => {
  const { one, two, use } = stage()
  use(one, 'Write', { file_path: 'f.txt', content: '' })
  for (let n = 0; n < 600; n += 1) use(one, 'Bash', { command: `cat f.txt other${n}.txt` })
  use(one, 'Write', { file_path: 'late.txt', content: '' })
  expect(use(two, 'Write', { file_path: 'f.txt', content: '' })).toContain('has changed f.txt and is still working')
  expect(use(two, 'Write', { file_path: 'late.txt', content: '' })).toContain(
    'has changed late.txt and is still working',
  )
})

test('commands that name other files, and messages that have ended, concern nobody', () => {
  const { collisions, one, two, use, published } = stage()
  use(one, 'Bash', { command: 'cat g.txt; cd src && cat f.txt.bak' })
  use(one, 'Bash', { command: 'cat f.txt' })
  collisions.settled('frontend')
  use(two, 'Write', { file_path: 'f.txt', content: '' })
  expect(published).toEqual([])
})
