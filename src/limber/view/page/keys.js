// SPDX-License-Identifier: Apache-2.0
// Keys of the page. They work wherever the mouse has been: only what a control needs itself is left to it.

const TYPES = 'input[type=text], textarea';
/** Whether this key belongs to the control that has the focus. */
function taken(target, key) {
  if (target.matches(TYPES)) return true;
  if (target.matches('select')) return key !== 'Escape';
  if (target.matches('input[type=range]')) return /^(Arrow|Page|Home|End)/.test(key);
  if (target.matches('button, summary, input[type=checkbox]')) return key === ' ' || key === 'Enter';
  return false;
}

/** `press(key)` returns whether the key was for it. `home` has the focus when nothing else needs it. */
export function listenToKeys(home, press) {
  let byPointer = false;
  addEventListener('pointerdown', () => { byPointer = true; }, { capture: true });
  addEventListener('keydown', (event) => {
    byPointer = false;
    if (event.ctrlKey || event.metaKey || event.altKey || taken(event.target, event.key)) return;
    if (press(event.key)) event.preventDefault();
  });
  // A button that was clicked would take the next space, a select the next letter: with the mouse nobody means that.
  const release = (event) => {
    if (byPointer && event.target.matches?.('button, select, summary, input:not([type=text])')) home.focus({ preventScroll: true });
  };
  addEventListener('click', (event) => { if (!event.target.matches?.('select')) release(event); });
  addEventListener('change', release);
}
