import { expect, test } from 'vitest'
import { Crowd } from './crowd.ts'

class Connection {
  isClosed = false
  readonly who: string

  constructor(who: string) {
    this.who = who
  }

  destroy(): void {
    this.isClosed = true
  }
}

function crowd(most: number, mostOfOne: number) {
  const closed: [number, string | undefined][] = []
  const looks: string[] = []
  const made = new Crowd<Connection>({
    bounds: { most, mostOfOne },
    whoOf: async ({ who }) => {
      looks.push(who)
      return who
    },
    onClosed: (count, who) => closed.push([count, who]),
  })
  const opened = (who: string, count = 1): Connection[] => {
    const connections = Array.from({ length: count }, () => new Connection(who))
    for (const each of connections) made.add(each)
    return connections
  }
  const open = (connections: readonly Connection[]): number[] =>
    connections.flatMap(({ isClosed }, index) => (isClosed ? [] : [index]))
  return { made, closed, looks, opened, open }
}

test('of few connections nobody looks whose they are', async () => {
  const { made, looks, opened, open } = crowd(20, 10)
  const some = opened('one', 10)
  await made.thinned
  expect(open(some)).toHaveLength(10)
  expect(looks).toEqual([])
})

test('who has too many loses the oldest that rest, down to half the bound, and others keep theirs', async () => {
  const { made, closed, opened, open } = crowd(20, 10)
  const [other, many] = [opened('other', 3), opened('many', 12)]
  made.begins(many[0]!)
  await made.thinned
  expect(open(other)).toHaveLength(3)
  expect(open(many)).toEqual([0, 8, 9, 10, 11])
  expect(closed).toEqual([[7, 'many']])
})

test('where all have a request the newest are closed, down to the bound; one that was answered rests again', async () => {
  const { made, opened, open } = crowd(20, 4)
  const many = opened('many', 6)
  for (const each of many) made.begins(each)
  made.ends(many[2]!)
  await made.thinned
  expect(open(many)).toEqual([0, 1, 3, 4])
})

test('of too many in all, those lose some that have most', async () => {
  const { made, opened, open } = crowd(20, 12)
  const [few, some, most] = [opened('few', 2), opened('some', 8), opened('most', 12)]
  await made.thinned
  expect([few, some, most].map((each) => open(each).length)).toEqual([2, 8, 10])
})

test('what comes faster than anybody can look is turned away, and the next crowd is looked at again', async () => {
  const { made, closed, opened, open } = crowd(20, 10)
  const flood = opened('flood', 1000)
  expect(made.size).toBe(25)
  await made.thinned
  expect(open(flood)).toHaveLength(5)
  expect(closed.filter(([, who]) => who === undefined)).toHaveLength(975)
  const [late, more] = [opened('late'), opened('flood', 6)]
  await made.thinned
  expect([open(late), open(more)].map(({ length }) => length)).toEqual([1, 5])
  for (const each of [...flood, ...late, ...more]) made.remove(each)
  expect(made.size).toBe(0)
})

test('whose process cannot be told shares one bound', async () => {
  const parts = { bounds: { most: 8, mostOfOne: 4 }, onClosed: () => {} }
  const made = new Crowd<Connection>({ ...parts, whoOf: () => Promise.reject(new Error('EMFILE')) })
  for (let each = 0; each < 8; each += 1) made.add(new Connection('unseen'))
  await made.thinned
  expect(made.size).toBe(2)
})
