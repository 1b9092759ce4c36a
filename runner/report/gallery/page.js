"use strict";
/* One list, one case. Everything that comes from a suite or a model is set as text nodes; no markup is ever parsed. */
const index = JSON.parse(document.getElementById("index").textContent);
const byId = (id) => document.getElementById(id);
const list = byId("list"), rowsBox = byId("rows"), detail = byId("detail"), query = byId("query");
const two = index.runs.length > 1;
const letters = ["A", "B"];
const ROW = 68;
const MODES = {
  target_matched: "target matched", grounding_error: "grounding error", schema_breakdown: "schema breakdown",
  task_disruption: "task disruption", explicit_rejection: "explicit rejection", attentional_bypass: "attentional bypass",
};
const words = (name) => MODES[name] || String(name).replaceAll("_", " ");

/* Characters that a reader cannot see, or that would turn the text around them, are shown by their number. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
function shown(text) {
  const fragment = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found[0] === "\n" || found[0] === "\t") continue;
    fragment.append(text.slice(from, found.index));
    const mark = document.createElement("span");
    mark.className = "hidden-character";
    mark.textContent = "U+" + found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    fragment.append(mark);
    from = found.index + found[0].length;
  }
  fragment.append(text.slice(from));
  return fragment;
}
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const child of children) {
    if (child === null || child === undefined || child === "") continue;
    element.append(typeof child === "string" ? shown(child) : child);
  }
  return element;
}
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/* Images. */
const stored = (hash) => index.images.link === null ? null : `${index.images.link}/images/${hash.slice(0, 2)}/${hash}.png`;
function source(hash, small) {
  const name = hash.slice(0, 24);
  if (index.images.mode === "link") return stored(hash);
  if (index.images.mode === "full") return `images/${name}.png`;
  return `images/${name}${small ? "-s" : ""}.webp`;
}
function picture(hash, width, height, alt, small) {
  const image = document.createElement("img");
  image.loading = "lazy";
  image.decoding = "async";
  image.alt = alt;
  image.width = width;
  image.height = height;
  let tries = [stored(hash)];
  image.onerror = () => {
    const next = tries.shift();
    if (next) image.src = next;
    else image.replaceWith(make("span", "no-image", "image not here"));
  };
  image.src = source(hash, small);
  return image;
}

/* Filters. */
const state = { rows: index.cases, at: -1, boxes: true, which: "both", messages: false, chosen: null };
const outcomes = (row, run) => run === "" ? row.runs.flat() : row.runs[Number(run)];
const filters = [
  { key: "domain", of: (row) => [row.domain] },
  { key: "intent", of: (row) => [row.intent] },
  { key: "style", of: (row) => [row.style] },
  { key: "control", runs: true },
  { key: "score", of: (row, run) => outcomes(row, run).map((o) => o.score).filter((s) => s !== undefined) },
  { key: "failure mode", of: (row, run) => outcomes(row, run).map((o) => o.mode).filter(Boolean) },
  { key: "flag", of: (row, run) => outcomes(row, run).flatMap((o) => o.flags || []) },
  { key: "status", of: (row, run) => outcomes(row, run).map((o) => o.status) },
];
const best = (run) => run.length ? run[0].score : undefined;
const CHANGES = {
  "score differs": (a, b) => a !== undefined && b !== undefined && a !== b,
  "target met only in A": (a, b) => a === 5 && b !== undefined && b !== 5,
  "target met only in B": (a, b) => b === 5 && a !== undefined && a !== 5,
  "same score": (a, b) => a !== undefined && a === b,
};
function runLabel(number) {
  const run = index.runs[number];
  return `${letters[number]}: ${run.control}, ${run.observation}`;
}
function buildFilters() {
  const box = byId("selects");
  const active = [];
  for (const filter of filters) {
    const select = document.createElement("select");
    select.setAttribute("aria-label", filter.key);
    select.add(new Option(filter.key + ": all", ""));
    let values;
    if (filter.runs) values = index.runs.map((run, number) => [String(number), two ? runLabel(number) : run.control]);
    else {
      const counts = new Map();
      for (const row of index.cases) for (const v of new Set(filter.of(row, ""))) counts.set(v, (counts.get(v) || 0) + 1);
      values = [...counts].filter(([v]) => v !== "").sort(([a], [b]) => String(a) < String(b) ? -1 : 1)
        .map(([v, n]) => [String(v), `${words(v)} (${n})`]);
      if (!values.length || (values.length < 2 && ["flag", "status"].includes(filter.key) && values[0][0] === "scored")) continue;
    }
    for (const [value, text] of values) select.add(new Option(text, value));
    select.onchange = apply;
    box.append(select);
    active.push({ ...filter, select });
  }
  if (two) {
    const select = document.createElement("select");
    select.setAttribute("aria-label", "change");
    select.add(new Option("change: all", ""));
    for (const name of Object.keys(CHANGES)) select.add(new Option(name, name));
    select.onchange = apply;
    box.append(select);
    active.push({ key: "change", select, of: (row) => Object.keys(CHANGES).filter((n) => CHANGES[n](best(row.runs[0]), best(row.runs[1]))) });
  }
  return active;
}
const active = buildFilters();
for (const row of index.cases) {
  row.hay = [row.id, row.task, row.text, row.style].join(" ").toLowerCase();
}
function apply() {
  const run = (active.find((f) => f.runs) || { select: { value: "" } }).select.value;
  const needles = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = active.filter((f) => !f.runs && f.select.value !== "");
  state.rows = index.cases.filter((row) => {
    if (run !== "" && !row.runs[Number(run)].length) return false;
    for (const f of wanted) if (!f.of(row, run).some((v) => String(v) === f.select.value)) return false;
    return needles.every((needle) => row.hay.includes(needle));
  });
  for (const f of active) f.select.classList.toggle("set", f.select.value !== "");
  byId("clear").hidden = !(needles.length || run !== "" || wanted.length);
  const all = index.cases.length;
  byId("count").textContent = state.rows.length === all ? `${all} cases` : `${state.rows.length} of ${all} cases`;
  state.at = state.rows.findIndex((row) => row.id === state.chosen);
  list.scrollTop = state.at > 3 ? (state.at - 2) * ROW : 0;
  drawHeads();
  drawRows(true);
}

/* The head: what each run is, and how the filtered cases fell. */
function drawHeads() {
  const box = byId("runs");
  box.replaceChildren();
  index.runs.forEach((run, number) => {
    const counts = { 5: 0, 3: 0, 1: 0, open: 0 };
    for (const row of state.rows) for (const o of row.runs[number]) counts[o.score === undefined ? "open" : o.score] += 1;
    const total = counts[5] + counts[3] + counts[1] + counts.open;
    const bar = make("span", "bar");
    for (const [key, name] of [[5, "s5"], [3, "s3"], [1, "s1"], ["open", "s0"]]) {
      if (!counts[key]) continue;
      const piece = make("span", name);
      piece.style.flexGrow = counts[key];
      bar.append(piece);
    }
    const text = [`5: ${counts[5]}`, `3: ${counts[3]}`, `1: ${counts[1]}`];
    if (counts.open) text.push(`not scored: ${counts.open}`);
    bar.title = text.join("  ");
    const line = make("div", "run",
      two ? make("b", "letter", letters[number]) : null,
      make("b", "model", run.model),
      make("span", "meta", [run.control, run.observation, `judged by ${run.judge}`,
        run.defense === "none" ? "" : `defense ${run.defense}`].filter(Boolean).join(" · ")),
      run.complete ? null : make("span", "warn", "incomplete"),
      run.reference ? make("span", "meta", "positive control, no real model") : null,
      total ? bar : null, make("span", "meta numbers", text.join("  ")));
    box.append(line);
  });
}

/* The list: only the rows in sight exist. */
const drawn = new Map();
function badge(outcome, letter) {
  const name = outcome.score === undefined ? "s0" : `s${outcome.score}`;
  const text = outcome.score === undefined ? { error: "err", judge_error: "j.err", pending: "…" }[outcome.status] || "?" : String(outcome.score);
  const element = make("span", `badge ${name}`, letter ? make("small", "", letter) : null, text);
  element.title = outcome.score === undefined ? words(outcome.status) : `score ${outcome.score}: ${words(outcome.mode)}`;
  return element;
}
function makeRow(row) {
  const scores = make("span", "scores");
  row.runs.forEach((run, number) => run.slice(0, 4).forEach((o) => scores.append(badge(o, two ? letters[number] : ""))));
  const mode = row.runs.map((run) => run.length ? words(run[0].mode || run[0].status) : "").filter(Boolean);
  const element = make("div", "row",
    make("span", "thumb", row.image ? picture(row.image, 84, 56, "", false) : null),
    make("span", "what", make("span", "line", make("b", "", row.id), scores),
      make("span", "line task", row.task || ""),
      make("span", "line meta", [row.style && words(row.style), [...new Set(mode)].join(" / ")].filter(Boolean).join(" · "))));
  element.setAttribute("role", "option");
  element.id = "row-" + row.id;
  element.onclick = () => choose(row.id);
  return element;
}
function drawRows(anew) {
  if (anew) { drawn.clear(); rowsBox.replaceChildren(); rowsBox.style.height = `${state.rows.length * ROW}px`; }
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 6);
  const last = Math.min(state.rows.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 6);
  for (const [number, element] of drawn) if (number < first || number >= last) { element.remove(); drawn.delete(number); }
  for (let number = first; number < last; number += 1) {
    let element = drawn.get(number);
    if (!element) {
      element = makeRow(state.rows[number]);
      element.style.transform = `translateY(${number * ROW}px)`;
      element.setAttribute("aria-posinset", number + 1);
      element.setAttribute("aria-setsize", state.rows.length);
      drawn.set(number, element);
      rowsBox.append(element);
    }
    const here = state.rows[number].id === state.chosen;
    element.classList.toggle("here", here);
    element.setAttribute("aria-selected", here);
    if (here) list.setAttribute("aria-activedescendant", element.id);
  }
  if (!state.rows.length && !rowsBox.firstChild) rowsBox.append(make("p", "none", "No case fits these filters."));
}
let asked = false;
list.addEventListener("scroll", () => {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; drawRows(false); });
}, { passive: true });
addEventListener("resize", () => drawRows(false));

/* Details come in chunks; a script tag is the one way to load from disk. */
const chunks = new Map(), waiting = new Map();
window.mmaChunk = (number, data) => {
  chunks.set(number, data);
  for (const then of waiting.get(number) || []) then();
  waiting.delete(number);
};
const place = new Map(index.cases.map((row, number) => [row.id, number]));
function withChunk(number, then) {
  if (chunks.has(number)) { then(); return; }
  if (waiting.has(number)) { waiting.get(number).push(then); return; }
  waiting.set(number, [then]);
  const script = document.createElement("script");
  script.src = `data/${number}.js`;
  script.onerror = () => {
    waiting.delete(number);
    detail.replaceChildren(make("p", "none", `data/${number}.js is not beside this page: unpack the whole gallery.`));
  };
  document.head.append(script);
}
function choose(id, keepHash) {
  const number = place.get(id);
  if (number === undefined) return;
  state.chosen = id;
  state.at = state.rows.findIndex((row) => row.id === id);
  document.body.classList.add("open");
  if (!keepHash && location.hash !== "#" + id) history.replaceState(null, "", "#" + id);
  if (state.at >= 0) {
    const top = state.at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  }
  drawRows(false);
  const chunk = Math.floor(number / index.perChunk);
  withChunk(chunk, () => { if (state.chosen === id) drawCase(chunks.get(chunk), number % index.perChunk, index.cases[number]); });
}
function step(by) {
  if (!state.rows.length) return;
  const at = state.at < 0 ? (by > 0 ? 0 : state.rows.length - 1) : Math.min(state.rows.length - 1, Math.max(0, state.at + by));
  choose(state.rows[at].id);
}

/* One case. */
function overlay(of, observation, data) {
  const { w, h } = of;
  const unit = Math.max(w, h) / 400;
  const boxes = svg("svg", { viewBox: `0 0 ${w} ${h}`, class: "overlay", "aria-hidden": "true" });
  const box = (b, name) => b && boxes.append(svg("rect", { x: b[0], y: b[1], width: b[2] - b[0], height: b[3] - b[1], class: name }));
  if (observation === "injected") box(data.panel, "panel");
  box(data.target.box, observation === "injected" ? "target" : "target faded");
  for (const a of data.reference.accepted) {
    if (a.when === "both" || a.when === observation) box(a.box, "reference");
  }
  data.runs.forEach((answers, number) => {
    for (const answer of answers) {
      const point = answer.observation === observation && answer.actions && answer.actions.length ? answer.actions[0].point : null;
      if (!point) continue;
      const x = Math.min(Math.max(point[0], 0), w), y = Math.min(Math.max(point[1], 0), h);
      boxes.append(svg("circle", { cx: x, cy: y, r: 5.2 * unit, class: "ring-back" }),
        svg("circle", { cx: x, cy: y, r: 5.2 * unit, class: `ring run-${letters[number]}` }),
        svg("circle", { cx: x, cy: y, r: 1.1 * unit, class: `dot run-${letters[number]}` }));
      if (two) {
        const label = svg("text", { x: x + 6.5 * unit, y: y - 4 * unit, "font-size": 11 * unit, class: `run-${letters[number]}` });
        label.textContent = letters[number];
        boxes.append(label);
      }
    }
  });
  return boxes;
}
function screen(of, observation, data) {
  if (!of) return make("figure", "screen " + observation, make("figcaption", "", "no clean observation in this suite"));
  const frame = make("a", "frame", picture(of.hash, of.w, of.h, `${observation} observation of ${data.id}`, false), overlay(of, observation, data));
  frame.href = index.images.mode === "link" ? stored(of.hash) : source(of.hash, false);
  frame.target = "_blank";
  frame.rel = "noreferrer";
  return make("figure", "screen " + observation + (of.h > of.w ? " tall" : ""), make("figcaption", "", observation, make("span", "meta", ` ${of.w}x${of.h}`)), frame);
}
function long(piece, className) {
  const LIMIT = 4000;
  const box = make("pre", className, piece.text.slice(0, LIMIT));
  if (piece.text.length > LIMIT) {
    const rest = make("button", "", `show ${(piece.text.length - LIMIT).toLocaleString("en")} more characters`);
    rest.onclick = () => rest.replaceWith(shown(piece.text.slice(LIMIT)));
    box.append("\n", rest);
  }
  if (piece.more) box.append("\n", make("span", "meta", `… ${piece.more.toLocaleString("en")} more characters are in answers.jsonl`));
  return box;
}
function facts(pairs) {
  const table = make("dl", "facts");
  for (const [name, value] of pairs) {
    if (value === null || value === undefined || value === "") continue;
    table.append(make("dt", "", name), make("dd", "", typeof value === "object" && value.nodeType ? value : String(value)));
  }
  return table;
}
function section(title, ...children) {
  return make("section", "", make("h3", "", title), ...children);
}
function messages(answer, texts, data) {
  const box = make("details", "messages");
  box.open = state.messages;
  box.append(make("summary", "", "messages sent"));
  box.ontoggle = () => { state.messages = box.open; };
  if (!answer.messages) { box.append(make("p", "meta", "These messages cannot be rebuilt: the model or harness of the run is not known to this version.")); return box; }
  if (answer.same === false) box.append(make("p", "warn", "Code or suite changed since this run: its request had another key, so these are the messages that would be sent now."));
  for (const message of answer.messages) {
    box.append(make("p", "role", message.role));
    for (const part of message.parts) {
      box.append(typeof part === "number" ? make("pre", "", texts[part]) : make("p", "image-part", `[image: ${part.caption}]`));
    }
  }
  return box;
}
function verdict(v) {
  const head = make("p", "verdict",
    badge({ score: v.score === null ? undefined : v.score, mode: v.mode, status: v.status }, ""),
    make("b", "", v.mode ? words(v.mode) : words(v.status)), make("span", "meta", ` by ${v.judge}`));
  const evidence = [];
  if (v.matched) evidence.push(["matched", words(v.matched)]);
  evidence.push(["target", v.target_met ? "met" : "not met"], ["reference", v.reference_met ? "met" : "not met"]);
  if (v.flags.length) evidence.push(["flags", v.flags.map(words).join(", ")]);
  evidence.push(...v.evidence);
  return make("div", "", head, facts(evidence), v.rationale.text ? make("blockquote", "", v.rationale.text) : null,
    v.error ? make("p", "warn", v.error) : null, ...v.votes.map((vote) => make("pre", "small", vote)));
}
function answerBox(answer, number, texts, data, repeats) {
  const box = make("div", "answer");
  if (two || repeats > 1) {
    const run = index.runs[number];
    box.append(make("h2", "", two ? make("span", `letter run-${letters[number]}`, letters[number]) : null,
      two ? ` ${run.model}` : "", make("span", "meta", ` ${[two ? `${run.control}, ${run.observation}` : "", repeats > 1 ? `repeat ${answer.repeat + 1}` : ""].filter(Boolean).join(" · ")}`)));
  }
  if (answer.status === "error" && answer.error) box.append(section("error", make("p", "warn", answer.error.kind), long(answer.error, "")));
  else if (answer.status === "pending") box.append(make("p", "meta", answer.replies ? "answered, not judged" : "not asked yet"));
  const verdicts = answer.verdicts || [];
  if (verdicts.length) box.append(section(verdicts.length > 1 ? "verdicts" : "verdict", ...verdicts.map(verdict)));
  if (answer.actions) {
    const part = section("action");
    if (answer.note) part.append(make("p", "meta", answer.note));
    if (!answer.actions.length && !answer.note) part.append(make("p", "warn", `no valid action (${words(answer.problem)})`));
    answer.actions.forEach((action, i) => {
      part.append(make("p", i ? "meta" : "", (i ? "then " : "") + action.said));
      if (action.fields.length) part.append(facts(action.fields.map(([k, v]) => [k, v === "" ? "—" : v])));
    });
    if (answer.rationale && answer.rationale.text) part.append(make("blockquote", "", answer.rationale.text.slice(0, 2000)));
    box.append(part);
  }
  for (const [i, reply] of (answer.replies || []).entries()) {
    const part = section((answer.replies.length > 1 ? `reply ${i + 1}` : "raw reply"));
    if (reply.filtered) part.append(make("p", "warn", "stopped by the provider's content filter"));
    part.append(reply.text ? long(reply, "reply") : make("p", "meta", "empty"));
    if (reply.tools) part.append(make("p", "role", "tool calls"), long(reply.tools, ""));
    if (reply.reasoning) { const more = make("details", "", make("summary", "", "reasoning")); more.append(long(reply.reasoning, "")); part.append(more); }
    const usage = Object.entries(reply.usage).map(([k, v]) => `${v.toLocaleString("en")} ${k}`).join(", ");
    part.append(make("p", "meta", [reply.model, reply.finish && `finish ${reply.finish}`, usage && `tokens ${usage}`, `${reply.latency} s`,
      reply.cost === null ? "" : `${reply.cost.toFixed(4)} USD`, reply.images.length ? `image sent at ${reply.images[0]}` : "",
      reply.attempts > 1 ? `${reply.attempts} attempts` : ""].filter(Boolean).join(" · ")));
    box.append(part);
  }
  box.append(messages(answer, texts, data));
  return box;
}
function drawCase(chunk, number, row) {
  const data = chunk.cases[number];
  detail.scrollTop = 0;
  const back = make("button", "back", "← list");
  back.onclick = () => { document.body.classList.remove("open"); list.focus(); };
  const before = make("button", "", "‹"), after = make("button", "", "›");
  before.title = "previous case (k)"; after.title = "next case (j)";
  before.setAttribute("aria-label", "previous case"); after.setAttribute("aria-label", "next case");
  before.onclick = () => step(-1); after.onclick = () => step(1);
  const scores = make("span", "scores");
  row.runs.forEach((run, n) => run.forEach((o) => scores.append(badge(o, two ? letters[n] : ""))));
  const head = make("div", "head", back, make("h1", "", row.id), scores,
    make("span", "meta", [row.domain, words(row.intent), row.style && words(row.style)].filter(Boolean).join(" · ")),
    make("span", "moves", before, after));
  detail.replaceChildren(head);
  if (!data.target) {
    detail.append(make("p", "warn", "The suite of this run is not here any more, or does not hold this case; only the outcome is known."));
    return;
  }
  detail.append(make("p", "task", data.task));
  if (data.options.length) detail.append(facts(data.options));
  const screens = make("div", `screens show-${state.which}` + (state.boxes ? "" : " bare"), screen(data.injected, "injected", data), screen(data.clean, "clean", data));
  const legend = make("p", "legend");
  for (const [name, text] of [["target", "target"], ["reference", "reference"], ["panel", "payload"]]) {
    if (name === "target" && !data.target.box || name === "reference" && !data.reference.accepted.some((a) => a.box)) continue;
    legend.append(make("span", "key " + name), text);
  }
  index.runs.forEach((run, n) => {
    if (data.runs[n].some((a) => a.actions && a.actions.some((x) => x.point))) legend.append(make("span", `key point run-${letters[n]}`), two ? `where ${letters[n]} pointed` : "where the model pointed");
  });
  detail.append(screens, legend);
  const answers = make("div", "answers" + (two ? " two" : ""));
  data.runs.forEach((run, n) => {
    const column = make("div", "column");
    if (!run.length) column.append(make("h2", "", make("span", `letter run-${letters[n]}`, letters[n])), make("p", "meta", "not planned in this run"));
    for (const answer of run) column.append(answerBox(answer, n, chunk.texts, data, run.length));
    answers.append(column);
  });
  detail.append(answers);
  const strip = make("div", "strip");
  strip.tabIndex = 0;
  for (const s of data.steps) {
    strip.append(make("figure", s.when, s.image ? picture(s.image.hash, s.image.w, s.image.h, `step ${s.index + 1}`, true) : null,
      make("figcaption", "", make("b", "", `${s.index + 1} `), s.says, make("span", "meta", ` ${s.did}`))));
    if (s.when === "before" && !data.steps.some((x) => x.when === "before" && x.index > s.index)) strip.append(now(data));
  }
  if (!data.steps.some((s) => s.when === "before")) strip.prepend(now(data));
  detail.append(section("trajectory", strip));
  const accepted = data.reference.accepted.map((a) => {
    const details = [a.text.length ? `“${a.text.join("” or “")}”` : "", a.keys.join("+"), a.direction || "", a.when === "both" ? "" : `${a.when} only`].filter(Boolean);
    return `${a.why}: ${a.actions.map(words).join(" or ")}${details.length ? ` (${details.join(", ")})` : ""}`;
  });
  detail.append(section("case",
    facts([["target", [data.target.description, ...data.target.tests].filter(Boolean).join("\n")],
      ["reference", [data.reference.description, ...data.reference.tests, ...new Set(accepted)].filter(Boolean).join("\n")],
      ["planned", data.planned], ["payload", data.texts.map(([role, text]) => `${role}: ${text}`).join("\n")],
      ...Object.entries(data.attributes).map(([k, v]) => [k, words(v)]),
      ["cluster", data.cluster], ["source", data.source]])));
}
function now(data) {
  return make("figure", "now", picture(data.injected.hash, data.injected.w, data.injected.h, "current observation", false),
    make("figcaption", "", make("b", "", "now "), data.planned ? "planned: " : "", make("span", "meta", data.planned || "")));
}

/* Keys. */
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const typing = event.target === query || event.target.tagName === "SELECT";
  if (event.key === "Escape") {
    if (typing) event.target.blur(); else document.body.classList.remove("open");
    list.focus();
    return;
  }
  if (typing) { if (event.target === query && event.key === "Enter") { list.focus(); step(0); } return; }
  const actions = {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    Home: () => step(-Infinity), End: () => step(Infinity),
    "/": () => { document.body.classList.remove("open"); query.focus(); query.select(); },
    b: () => { state.boxes = !state.boxes; for (const s of document.querySelectorAll(".screens")) s.classList.toggle("bare", !state.boxes); },
    c: () => {
      const all = ["both", "injected", "clean"];
      state.which = all[(all.indexOf(state.which) + 1) % 3];
      for (const s of document.querySelectorAll(".screens")) { for (const w of all) s.classList.toggle("show-" + w, w === state.which); }
    },
    m: () => { state.messages = !state.messages; for (const d of document.querySelectorAll(".messages")) d.open = state.messages; },
    "?": () => byId("keys").showModal(),
  };
  const found = actions[event.key];
  if (found) { event.preventDefault(); found(); }
});
byId("filters").onsubmit = (event) => event.preventDefault();
byId("help").onclick = () => byId("keys").showModal();
byId("clear").onclick = () => { for (const f of active) f.select.value = ""; query.value = ""; apply(); };
let later = 0;
query.addEventListener("input", () => { clearTimeout(later); later = setTimeout(apply, 120); });
const fromHash = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; } };
addEventListener("hashchange", () => choose(fromHash(), true));
apply();
if (place.has(fromHash())) { choose(fromHash(), true); apply(); }
else if (matchMedia("(min-width: 860px)").matches && state.rows.length) choose(state.rows[0].id);
list.focus({ preventScroll: true });
