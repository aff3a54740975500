#!/usr/bin/env bash
# What a newcomer has: a bare Debian 12 in a folder, and in it a clone of the committed HEAD. Runs the README's two commands
# there (or the one given), says how each ended and after how long, and fails when one did. Needs root and 6 GB of disk.
#   tools/clean_room.sh                        ./demo.sh, then ./test.sh, as root
#   tools/clean_room.sh --with "libgtest-dev"  where these packages are installed already
#   tools/clean_room.sh --user                 as an ordinary user with sudo
#   tools/clean_room.sh --no-npm ./demo.sh     where npm reaches no registry; another command
#   tools/clean_room.sh --keep DIR             the room stays in DIR with its builds; the next call goes on in it, at the HEAD of then
set -euo pipefail
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
with= dir= keep=no user=no npm=yes
while [ $# -gt 0 ]; do
  case $1 in
    --with) with=${2?}; shift 2 ;;
    --keep) dir=${2?} keep=yes; shift 2 ;;
    --user) user=yes; shift ;;
    --no-npm) npm=no; shift ;;
    -*) usage ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- ./demo.sh ./test.sh
[ "$(id -u)" = 0 ] || { echo "clean_room.sh: needs root" >&2; exit 2; }
top=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
command -v mmdebstrap >/dev/null || { apt-get update >/dev/null && apt-get install -y --no-install-recommends mmdebstrap >/dev/null; } ||
  { echo "clean_room.sh: mmdebstrap cannot be installed" >&2; exit 4; }

[ -n "$dir" ] || dir=$(mktemp -d)
room=$dir/room
mounted() { mountpoint -q "$room/$1"; }
leave() {
  for place in dev/shm dev proc sys; do
    if mounted $place; then umount -l "$room/$place"; fi
  done
  [ $keep = yes ] || rm -rf --one-file-system "$dir"
}
trap leave EXIT

# The mirror this machine itself uses, in either form that apt reads.
mirror() {
  { cat /etc/apt/sources.list.d/*.sources || true; } 2>/dev/null |
    awk '/^URIs:/ { uri = $2 } /^Suites:/ && / bookworm( |$)/ { print uri }'
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true; } 2>/dev/null |
    sed 's/\[[^]]*\]//' | awk '$1 == "deb" && $3 == "bookworm" { print $2 }'
}
if [ ! -d "$room/root" ]; then
  mkdir -p "$dir"
  [ $user = no ] || with="$with sudo"
  mapfile -t mirrors < <(mirror)
  from=${mirrors[0]:-}
  [ -n "$from" ] || { echo "clean_room.sh: no source of Debian 12 in /etc/apt" >&2; exit 4; }
  # shellcheck disable=SC2086
  mmdebstrap --variant=minbase --mode=root ${with:+--include="$(echo $with | tr ' ' ,)"} bookworm "$room" "$from" >"$dir/room.log" 2>&1 ||
    { tail -n 5 "$dir/room.log" >&2; echo "clean_room.sh: mmdebstrap made no room" >&2; exit 4; }
  # As in a company: what this machine trusts beyond Debian's own certificates is in the system's folder, and nowhere else.
  mkdir -p "$room/usr/local/share/ca-certificates"
  cp /etc/ssl/certs/ca-certificates.crt "$room/usr/local/share/ca-certificates/this-machine.crt"
fi
cp /etc/resolv.conf /etc/hosts "$room/etc/"
mounted proc || mount -t proc proc "$room/proc"
mounted sys || mount -t sysfs sys "$room/sys"
mounted dev || mount --bind /dev "$room/dev"
mounted dev/shm || { mkdir -p "$room/dev/shm" && mount -t tmpfs shm "$room/dev/shm"; }

who=root home=/root
if [ $user = yes ]; then
  who=newcomer home=/home/newcomer
  chroot "$room" id $who >/dev/null 2>&1 || chroot "$room" useradd --create-home --shell /bin/bash $who
  echo "$who ALL=(ALL) NOPASSWD: ALL" >"$room/etc/sudoers.d/$who"
fi
if [ -d "$room$home/limber" ]; then
  in_clone() { git -c safe.directory='*' -C "$room$home/limber" "$@"; }
  in_clone fetch -q "$top" HEAD && in_clone reset -q --hard FETCH_HEAD
else
  git clone -q "$top" "$room$home/limber"
fi
chroot "$room" chown -R $who: "$home/limber"
environment=(HOME=$home USER=$who PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
[ $npm = yes ] || environment+=(npm_config_registry=http://127.0.0.1:9)  # nobody listens there

status=0
for command in "$@"; do
  started=$SECONDS code=0
  chroot "$room" setpriv --reuid=$who --regid=$who --init-groups --reset-env \
    env -i "${environment[@]}" /bin/bash -c "cd $home/limber && $command" >"$dir/last.log" 2>&1 </dev/null || code=$?
  tail -n $([ $code = 0 ] && echo 8 || echo 40) "$dir/last.log" | sed 's/^/  | /'
  echo "clean_room.sh: '$command' as $who${with:+ with $with}: exit $code after $((SECONDS - started)) s"
  [ $code = 0 ] || status=1
done
exit $status
