// SPDX-License-Identifier: Apache-2.0
// The WebSocket, with patience: what is lost is tried again until it is back. docs/view_protocol.md.

const FRAME = 1, GEOMETRY = 2, FRAME_HEAD = 16, GEOMETRY_HEAD = 4;  // words

/** A binary message as views into its own memory. */
export function decode(buffer) {
  const words = new Uint32Array(buffer), floats = new Float32Array(buffer), doubles = new DataView(buffer);
  if (words[0] === GEOMETRY)
    return { kind: 'geometry', scene: words[1], vertices: words[2],
      triangles: words.subarray(GEOMETRY_HEAD, GEOMETRY_HEAD + 3 * words[3]) };
  if (words[0] !== FRAME) return { kind: 'unknown' };
  const n = words[3], values = words[8], poses = words[11], contacts = words[12], hand = words[13], cables = words[14];
  let at = FRAME_HEAD;
  const take = (count) => floats.subarray(at, at += count);
  return { kind: 'frame', scene: words[1], number: words[2], step: doubles.getFloat64(16, true),
    time: doubles.getFloat64(24, true), lo: floats[9], hi: floats[10],
    positions: take(3 * n), values: take(values), poses: take(12 * poses), contacts: take(6 * contacts),
    hand: take(6 * hand), cables: take(6 * cables) };
}

export class Connection {
  /** `on` has open(), lost(), text(object) and binary(message). */
  constructor(on) {
    this.on = on;
    this.token = new URLSearchParams(location.search).get('token') ?? '';
    this.wait = 500;
    this.open();
  }
  open() {
    this.socket = new WebSocket(`ws://${location.host}/ws?token=${this.token}`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => { this.wait = 500; this.on.open(); };
    this.socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.on.text(JSON.parse(data));
      else this.on.binary(decode(data));
    };
    this.socket.onclose = ({ reason }) => {
      this.on.lost(reason);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, 5000);
    };
  }
  get ready() { return this.socket.readyState === WebSocket.OPEN; }
  send(command) { if (this.ready) this.socket.send(JSON.stringify(command)); }
  acknowledge(number) { if (this.ready) this.socket.send(new Uint32Array([number])); }
  async upload(file) {
    const name = encodeURIComponent(file.name.slice(-60));
    const answer = await fetch(`/upload?token=${this.token}&name=${name}`, { method: 'POST', body: file });
    if (!answer.ok) throw new Error(await answer.text());
  }
}
