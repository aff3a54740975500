// SPDX-License-Identifier: Apache-2.0
// Live plots of what each step reports: where the time goes against the real-time line, energies, residual, contacts.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { element } from './panels.js';
import { short } from './colour.js';

const KEEP = 600;  // steps shown
const STAGES = { detect: ['detect'], rotate: ['rotate'], assemble: ['assemble'], factor: ['factor'], solve: ['free_motion'],
  contact: ['compliance', 'resolve', 'correct'], other: ['observe', 'report'] };
const COLOURS = ['#4477aa', '#66ccee', '#228833', '#ccbb44', '#ee6677', '#aa3377', '#999999'];

const ink = () => getComputedStyle(document.documentElement).getPropertyValue('--soft').trim();
const tick = (v) => (v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5) ? v.toExponential(0) : short(v));
const axis = (extra = {}) => ({ stroke: ink, grid: { stroke: () => '#8884', width: 1 }, ticks: { show: false }, size: 44, font: '10px sans-serif',
  values: (_, all) => all.map((v) => (v === null ? '' : tick(v))), ...extra });

export class Plots {
  constructor(box) {
    this.box = box;
    this.columns = null;
    this.charts = [
      this.chart('ms of a step; dashes: real time', Object.keys(STAGES).map((name, k) => ({ label: name, stroke: COLOURS[k], fill: `${COLOURS[k]}aa`, width: 1 })), { realTime: true },
        (row) => Object.values(STAGES).map((parts) => parts.reduce((sum, name) => sum + this.of(row, name), 0)), true),
      this.chart('energy [J]', [{ label: 'kinetic', stroke: '#ee6677' }, { label: 'elastic', stroke: '#228833' }, { label: 'change of total', stroke: '#4477aa' }], {},
        (row) => this.energies(row)),
      this.chart('residual |r| / |b|', [{ label: 'residual', stroke: '#aa3377' }], { log: true }, (row) => [row[this.columns.indexOf('residual')] === null ? null : Math.max(this.of(row, 'residual'), 1e-16)]),
      this.chart('iterations and contacts', [{ label: 'iterations', stroke: '#4477aa' }, { label: 'contacts', stroke: '#dd8452' }], {},
        (row) => [this.of(row, 'iterations'), this.of(row, 'contacts')]),
    ];
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(true));
  }
  chart(title, series, options, pick, stacked = false) {
    const holder = element('div', { class: 'plot' }, element('h3', {}, title));
    this.box.append(holder);
    const chart = { pick, stacked, data: [[], ...series.map(() => [])], realTime: options.realTime };
    const config = {
      width: 220, height: 110, legend: { show: series.length > 1, live: false }, cursor: { show: false },
      scales: { x: { time: false }, y: options.log ? { distr: 3 } : { range: (_, lo, hi) => this.range(chart, lo, hi) } },
      axes: [axis({ size: 18 }), axis()],
      series: [{}, ...series.map((s) => ({ width: 1.5, points: { show: false }, ...s }))],
      hooks: { draw: [(u) => this.realTimeLine(u, chart)] },
    };
    // A stack: each area reaches down to the one below it.
    if (stacked) config.bands = series.slice(1).map((_, k) => ({ series: [k + 2, k + 1] }));
    chart.plot = new uPlot(config, chart.data, holder);
    return chart;
  }
  /** Shares a width among the plots. */
  resize(width) {
    const each = Math.max(Math.floor((width - 16) / this.charts.length) - 8, 60);
    for (const { plot } of this.charts) if (plot.width !== each) plot.setSize({ width: each, height: 110 });
  }
  range(chart, lo, hi) {
    if (chart.realTime) return [0, Math.max(hi ?? 0, 1.15 * (this.realTimeMs ?? 0), 1e-3)];
    const span = (hi ?? 1) - (lo ?? 0) || 1;
    return [Math.min(lo ?? 0, 0), (hi ?? 1) + 0.05 * span];
  }
  realTimeLine(u, chart) {
    if (!chart.realTime || !this.realTimeMs) return;
    const y = u.valToPos(this.realTimeMs, 'y', true), { left, width } = u.bbox, pen = u.ctx;
    pen.save();
    pen.strokeStyle = ink();
    pen.setLineDash([6, 4]);
    pen.beginPath();
    pen.moveTo(left, y);
    pen.lineTo(left + width, y);
    pen.stroke();
    pen.restore();
  }
  of(row, name) {
    const k = this.columns.indexOf(name);
    return k < 0 || row[k] === null ? 0 : Number(row[k]);
  }
  energies(row) {
    const kinetic = this.of(row, 'kinetic'), elastic = this.of(row, 'elastic'), total = kinetic + elastic + this.of(row, 'potential');
    this.firstTotal ??= total;
    return [kinetic, elastic, total - this.firstTotal];
  }
  clear(stepSeconds) {
    this.realTimeMs = 1000 * stepSeconds;
    this.firstTotal = undefined;
    for (const chart of this.charts) for (const column of chart.data) column.length = 0;
    this.draw(true);
  }
  /** Rows of a stats or history message; `all` keeps every one of them. */
  add({ columns, rows }, all = false) {
    this.columns = columns;
    for (const row of rows) {
      const time = this.of(row, 'time');
      for (const chart of this.charts) {
        let below = 0;
        chart.data[0].push(time);
        chart.pick(row).forEach((value, k) => chart.data[k + 1].push(chart.stacked ? (below += value) : value));
        if (!all && chart.data[0].length > KEEP) for (const column of chart.data) column.shift();
      }
    }
    this.due = true;
  }
  draw(now = false) {
    if (!this.due && !now) return;
    this.due = false;
    for (const chart of this.charts) chart.plot.setData(chart.data);
  }
}
