import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import { type PlainAnswer, plainHttp } from './plain-http.ts'

interface Owned {
  readonly port: number
  readonly world: { owner(): string }
}

/** The way of a link of `iris dashboard`, as `/login?code=…`. */
export async function newLink(iris: Owned): Promise<string> {
  const made = await plainHttp(iris.port, 'POST', '/login/codes', { authorization: `Bearer ${iris.world.owner()}` })
  expect(made.status).toBe(201)
  return JSON.parse(made.body).path
}

/** The whole link of `iris dashboard --public`, once settings.publicUrl is in force. */
export function publicLink(iris: Owned): Promise<string> {
  return eventually(async () => {
    const headers = { authorization: `Bearer ${iris.world.owner()}` }
    const made = await plainHttp(iris.port, 'POST', '/login/codes?for=public', headers)
    return made.status === 201 && JSON.parse(made.body).url
  }, 'the public address is in force')
}

/** As a browser follows an address that a person gave it. */
export function follow(iris: Pick<Owned, 'port'>, path: string, cookie = ''): Promise<PlainAnswer> {
  const headers = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }
  return plainHttp(iris.port, 'GET', path, { ...headers, ...(cookie && { cookie }) })
}

/** A browser that was let in: its cookie as it sends it, `name=value`. */
export async function signIn(iris: Owned): Promise<string> {
  const { headers } = await follow(iris, await newLink(iris))
  return headers['set-cookie']![0]!.split(';', 1)[0]!
}

/** The browser of another person, let in by a link of "iris login": its cookie. */
export async function signInAs(iris: Owned, name: string, role?: string): Promise<string> {
  const query = new URLSearchParams({ name, ...(role !== undefined && { role }) })
  const headers = { authorization: `Bearer ${iris.world.owner()}` }
  const made = await plainHttp(iris.port, 'POST', `/login/codes?${query}`, headers)
  expect(made).toMatchObject({ status: 201 })
  const followed = await follow(iris, JSON.parse(made.body).path)
  return followed.headers['set-cookie']![0]!.split(';', 1)[0]!
}
