import { expect } from 'vitest'
import type { TestIris } from './iris.ts'
import { type PlainAnswer, plainHttp } from './plain-http.ts'

/** The way of a link of `iris dashboard`, as `/login?code=…`. */
export async function newLink(iris: Pick<TestIris, 'port' | 'world'>): Promise<string> {
  const made = await plainHttp(iris.port, 'POST', '/login/codes', { authorization: `Bearer ${iris.world.owner()}` })
  expect(made.status).toBe(201)
  return JSON.parse(made.body).path
}

/** As a browser follows an address that a person gave it. */
export function follow(iris: Pick<TestIris, 'port'>, path: string, cookie = ''): Promise<PlainAnswer> {
  const headers = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }
  return plainHttp(iris.port, 'GET', path, { ...headers, ...(cookie && { cookie }) })
}

/** A browser that was let in: its cookie as it sends it, `name=value`. */
export async function signIn(iris: Pick<TestIris, 'port' | 'world'>): Promise<string> {
  const { headers } = await follow(iris, await newLink(iris))
  return headers['set-cookie']![0]!.split(';', 1)[0]!
}
