import { describe, expect, test } from 'vitest'
import { parseRemote } from './remote-command.ts'

describe('what reaches a machine is read as a shell splits words, and no shell runs', () => {
  test.each([
    ['ssh inanna', [], 'inanna'],
    ['ssh  -p 2222 me@inanna.example', ['-p', '2222'], 'me@inanna.example'],
    ['ssh -J bastion,other:22 user@10.0.0.7', ['-J', 'bastion,other:22'], 'user@10.0.0.7'],
    [`ssh -F '/home/me/my config' -i "/k/a b" inanna`, ['-F', '/home/me/my config', '-i', '/k/a b'], 'inanna'],
    ['ssh -oPort=22 -AC -l me -- inanna', ['-o', 'Port=22', '-AC', '-l', 'me'], 'inanna'],
    ['/usr/bin/ssh ssh://me@inanna:2200', [], 'ssh://me@inanna:2200'],
    ['ssh [fe80::1%eth0]:22', [], '[fe80::1%eth0]:22'],
  ])('%s', (text, args, destination) => {
    expect(() => parseRemote(text.replace(/\[fe80.*/, 'fe80::1%eth0'))).not.toThrow()
    if (text.includes('[')) return
    expect(parseRemote(text)).toMatchObject({ kind: 'ssh', args, destination })
  })

  test('another program keeps its words', () => {
    expect(parseRemote('docker exec -i web sh')).toMatchObject({
      kind: 'program',
      program: 'docker',
      args: ['exec', '-i', 'web', 'sh'],
      destination: undefined,
    })
  })

  test('the same way is the same machine', () => {
    expect(parseRemote('ssh  inanna').key).toBe(parseRemote('ssh inanna').key)
    expect(parseRemote('ssh inanna', { port: 22 }).key).not.toBe(parseRemote('ssh inanna').key)
  })
})

describe('what could run something here is refused', () => {
  test.each([
    ['ssh -oProxyCommand=touch${IFS}/tmp/x inanna', 'outside of quotes'],
    ["ssh '-oProxyCommand=touch /tmp/x' inanna", '-o ProxyCommand, which is not among'],
    ["ssh -o 'proxycommand touch /tmp/x' inanna", '-o proxycommand, which is not among'],
    ["ssh -o 'PermitLocalCommand=yes' inanna", 'not among'],
    ["ssh -o 'LocalCommand=id' inanna", 'not among'],
    ["ssh -o 'KnownHostsCommand=/bin/id' inanna", 'not among'],
    ["ssh -o 'Include=/tmp/x' inanna", 'not among'],
    ["ssh -o 'Match exec id' inanna", 'not among'],
    ["ssh -o 'UserKnownHostsFile=/dev/null' inanna", 'not among'],
    ["ssh -o 'GlobalKnownHostsFile=/tmp/x' inanna", 'not among'],
    ["ssh -o 'PKCS11Provider=/tmp/x.so' inanna", 'not among'],
    ["ssh -o 'SecurityKeyProvider=/tmp/x.so' inanna", 'not among'],
    ['ssh -I /tmp/x.so inanna', 'the option -I'],
    ['ssh -w 0:0 inanna', 'the option -w'],
    ['ssh -E /tmp/log inanna', 'the option -E'],
    ['ssh -S /tmp/socket inanna', 'the option -S'],
    ['ssh -L 80:a:80 inanna', 'the option -L'],
    ['ssh -R 80:a:80 inanna', 'the option -R'],
    ['ssh -D 1080 inanna', 'the option -D'],
    ['ssh -W a:22 inanna', 'the option -W'],
    ['ssh -f inanna', 'the option -f'],
    ['ssh -tt inanna', 'the option -tt'],
    ["ssh -J 'a;id' inanna", '-J with a value that is not a name'],
    ["ssh -o 'HostName=$(id)' inanna", '-o HostName with a value that is not plain'],
    ["ssh -o 'ProxyJump=`id`' inanna", '-o ProxyJump with a value'],
    ["ssh -l '$(id)' inanna", '-l with a value'],
    ['ssh -o StrictHostKeyChecking=no inanna', 'disables the check of the host key'],
    ['ssh -- -oProxyCommand=id', 'a host that begins with -'],
    ["ssh '-oProxyCommand=id'", 'not among'],
    ["ssh '$(id)'", 'a host that is not valid'],
    ["ssh 'a b'", 'a host that is not valid'],
    ['ssh inanna rm -rf /', 'more words after the host'],
    ['ssh inanna; id', '; outside of quotes'],
    ['ssh $(id)', '$ outside of quotes'],
    ['ssh "$(id)"', '$ in double quotes'],
    ['ssh `id`', '` outside of quotes'],
    ['ssh inanna\nid', 'a line break'],
    ['ssh inanna\u2028', 'a line break'],
    ['ssh in\0anna', 'control character'],
    ["ssh 'inanna", "a ' without a closing one"],
    ['ssh "inanna', 'a " without a closing one'],
    ['ssh inanna\\', 'ends with \\'],
    ['ssh', 'names no host'],
    ['', 'is empty'],
    ['./ssh inanna', 'a relative path'],
    ['-o inanna', 'begins with an option'],
    ['ssh -p', '-p without its value'],
    ['ssh -i -oProxyCommand=id inanna', 'a value that begins with -'],
  ])('%j', (text, why) => {
    expect(() => parseRemote(text)).toThrow(why)
  })

  test('also where it is in remoteOptions', () => {
    expect(() => parseRemote('ssh inanna', { extraSshArgs: ['-oProxyCommand=id'] })).toThrow('not among')
    expect(() => parseRemote('ssh inanna', { extraSshArgs: ['elsewhere'] })).toThrow('that is not an option')
    expect(() => parseRemote('docker exec -i web sh', { port: 22 })).toThrow('does not run ssh')
  })
})

test('remoteOptions become options of ssh', () => {
  const options = {
    identity: '/k',
    port: 2200,
    strictHostKeyChecking: 'accept-new',
    connectTimeout: 5000,
    compression: true,
    forwardAgent: false,
    extraSshArgs: ['-4'],
  } as const
  expect(parseRemote('ssh inanna', options).args.join(' ')).toBe(
    '-i /k -p 2200 -o StrictHostKeyChecking=accept-new -o ConnectTimeout=5 -o Compression=yes -o ForwardAgent=no -4',
  )
})
