import { type IncomingHttpHeaders, request } from 'node:http'

export interface PlainAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One plain HTTP request to this machine; unlike `fetch` it sends the ControlHandler and Origin it is told to. */
export function plainHttp(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let said = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: said }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
