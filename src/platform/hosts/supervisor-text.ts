import { readFileSync } from 'node:fs'
import { sha256 } from '../../base/lib/sha256.ts'

/**
 * Changes whenever the protocol changes. It is part of the supervisor's file name, next to the hash, for people who
 * look at the host.
 */
const protocolVersion = 1

/** The supervisor, and its file name on the host: one for each version, so that old and new ones run side by side. */
export const supervisorText = readFileSync(new URL('supervisor.sh', import.meta.url), 'utf8')
const supervisorName = `supervisor-${protocolVersion}-${sha256(supervisorText).slice(0, 12)}`

/**
 * Starts the supervisor, or asks for its text first. This script is sent in single quotes, so it must not contain any.
 * Send nothing more until the host answers: dash reads ahead and would consume input meant for the supervisor.
 */
const boot = `
n=$1 f=$2 m=$(umask)
usable() { [ -n "$1" ] && [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] && [ -w "$1" ]; }
h=\${XDG_CACHE_HOME:-\${HOME:+$HOME/.cache}}
for d in "\${h:+$h/iris}" "\${TMPDIR:-/tmp}/iris-$(id -u)"; do
  usable "$d" && [ -r "$d/$f" ] && exec sh "$d/$f" serve "$n" "$d" "$m"
done
umask 077
for d in "\${h:+$h/iris}" "\${TMPDIR:-/tmp}/iris-$(id -u)"; do
  [ -z "$d" ] || mkdir -p "$d" 2>/dev/null
  usable "$d" && chmod 700 "$d" || continue
  p=$d/.$f.$$
  { true >"$p"; } 2>/dev/null || continue
  printf "%s need\\n" "$n"
  IFS= read -r s || exit 0
  a=0
  while [ "$a" -lt "$s" ]; do
    dd bs=$((s - a)) count=1 >>"$p" 2>/dev/null || break
    b=$(wc -c <"$p")
    [ "$b" -gt "$a" ] || { rm -f "$p"; exit 0; }
    a=$((b))
  done
  [ "$a" -eq "$s" ] && mv "$p" "$d/$f" && exec sh "$d/$f" serve "$n" "$d" "$m"
  rm -f "$p"
  printf "%s refused disk_full\\n" "$n"
  exit 0
done
printf "%s refused not_writable\\n" "$n"
`

/** The first command that is written to a shell on a host. */
export function bootCommand(nonce: string): string {
  return `exec sh -c '${boot}' iris ${nonce} ${supervisorName}\n`
}
