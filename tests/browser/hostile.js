// What a hostile page can try. Each attack takes the URL of an endpoint and the body of a request,
// and resolves to all that the page could learn of the answer: "" where that is nothing.
'use strict';

const SIMPLE = {method: 'POST', headers: {'Content-Type': 'text/plain'}};
const JSON_TYPE = {'Content-Type': 'application/json', Accept: 'application/json, text/event-stream'};

const read = async answer => answer.type === 'opaque' || answer.type === 'opaqueredirect'
  ? await answer.text()
  : `${answer.status} ${await answer.text()}`;

// An element that loads a URL; it tells whether it loaded and, if it is a frame, what is in it.
const element = (name, attributes, parent = document.body) => new Promise(done => {
  const made = Object.assign(document.createElement(name), attributes);
  made.onload = () => done(inside(made));
  made.onerror = () => done('');
  parent.append(made);
});

const inside = made => {
  if (!('contentWindow' in made)) return `loaded ${made.tagName}`;
  try { return made.contentWindow.document.body.innerText; } catch { return ''; }
};

const form = async (url, body, more = {}, sandbox = null) => {
  const name = `f${Math.random()}`;
  const target = Object.assign(document.createElement('iframe'), {name});
  if (sandbox !== null) target.sandbox = sandbox;
  document.body.append(target);
  const made = Object.assign(document.createElement('form'),
    {action: url, method: 'post', enctype: 'text/plain', target: name, ...more});
  // The classic way to send JSON by a form: the '=' between name and value lands in a string.
  const [key, value] = [body.slice(0, -1) + ',"x":"', '"}'];
  made.append(Object.assign(document.createElement('input'), {name: key, value}));
  document.body.append(made);
  const loaded = new Promise(done => { target.onload = () => done(inside(target)); });
  made.submit();
  return loaded;
};

const worker = code => new Promise((done, fail) => {
  const made = new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));
  made.onmessage = told => done(told.data);
  made.onerror = fault => { fault.preventDefault(); fail(new Error('the worker failed')); };
});

// A new window is empty and ours until its page has come.
const popup = async made => {
  for (let tries = 0; made && tries < 100; tries++) {
    await new Promise(done => setTimeout(done, 50));
    try { if (made.document.body.innerText) return made.document.body.innerText; } catch { return ''; }
  }
  return '';
};

const sandboxed = (code, url, body) => new Promise(done => {
  addEventListener('message', told => done(told.data), {once: true});
  const script = `(async () => { let said = ''; try { said = await (${code})(${JSON.stringify(url)},
    ${JSON.stringify(body)}); } catch {} parent.postMessage(said, '*'); })()`;
  element('iframe', {sandbox: 'allow-scripts', srcdoc: `<script>${script}</` + 'script>'});
});

const attacks = {
  'fetch': url => fetch(url).then(read),
  'fetch without CORS': url => fetch(url, {mode: 'no-cors'}).then(read),
  'fetch with credentials': url => fetch(url, {credentials: 'include'}).then(read),
  'fetch without CORS, with credentials':
    url => fetch(url, {mode: 'no-cors', credentials: 'include'}).then(read),
  'JSON as plain text': (url, body) => fetch(url, {...SIMPLE, body}).then(read),
  'JSON as plain text, unread, with credentials': (url, body) =>
    fetch(url, {...SIMPLE, body, mode: 'no-cors', credentials: 'include'}).then(read),
  'JSON without a type': (url, body) =>
    fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include',
      body: new Blob([body])}).then(read),
  'JSON, preflighted': (url, body) =>
    fetch(url, {method: 'POST', headers: JSON_TYPE, body, credentials: 'include'}).then(read),
  'a header of its own, preflighted': url =>
    fetch(url, {headers: {'X-Loremap-Folder': '/', Authorization: 'Bearer x'}}).then(read),
  'DELETE, preflighted': url => fetch(url, {method: 'DELETE', credentials: 'include'}).then(read),
  'HEAD': url => fetch(url, {method: 'HEAD', mode: 'no-cors', credentials: 'include'}).then(read),
  'a fetch for the local network': url =>
    fetch(url, {targetAddressSpace: 'loopback', credentials: 'include'}).then(read),
  'a redirect that keeps the body': (url, body, site) =>
    fetch(`${site}/to?${url}`, {...SIMPLE, body, mode: 'no-cors', credentials: 'include'}).then(read),
  'XMLHttpRequest': (url, body) => new Promise(done => {
    const asked = new XMLHttpRequest();
    asked.withCredentials = true;
    asked.onloadend = () => done(asked.responseText);
    asked.open('POST', url);
    asked.send(body);
  }),
  'a beacon': (url, body) => { navigator.sendBeacon(url, body); return ''; },
  'a keepalive': (url, body) =>
    fetch(url, {...SIMPLE, body, mode: 'no-cors', keepalive: true, credentials: 'include'}).then(read),
  'EventSource': url => new Promise(done => {
    const source = new EventSource(url, {withCredentials: true});
    source.onmessage = told => done(told.data);
    source.onopen = () => done('open');
    source.onerror = () => { source.close(); done(''); };
  }),
  'WebSocket': url => new Promise(done => {
    const socket = new WebSocket(url.replace('http', 'ws'));
    socket.onopen = () => done('open');
    socket.onmessage = told => done(told.data);
    socket.onerror = () => done('');
  }),
  'an image': url => element('img', {src: url}),
  'a script': url => element('script', {src: url}),
  'a module': url => import(url).then(JSON.stringify),
  'a style sheet': url => element('link', {rel: 'stylesheet', href: url}),
  'a prefetch': url => element('link', {rel: 'prefetch', href: url}).then(() => ''),
  'a video': url => new Promise(done => {
    const made = Object.assign(document.createElement('video'), {src: url});
    made.onloadedmetadata = () => done('loaded');
    made.onerror = () => done(made.error.message.replace(/.*(Format error|failed).*/i, ''));
    document.body.append(made);
  }),
  'an object': url => element('object', {data: url}),
  'a worker': url => worker(`fetch(${JSON.stringify(url)}, {credentials: 'include'})
    .then(async answer => postMessage(answer.status + ' ' + await answer.text()))
    .catch(() => postMessage(''))`),
  'a script of a worker': url => worker(`importScripts(${JSON.stringify(url)}); postMessage('ran')`),
  'a frame': url => element('iframe', {src: url}),
  'a form in a frame': (url, body) => form(url, body),
  'a form that asks': (url, body) => form(url, body, {method: 'get'}),
  'a form in a sandbox': (url, body) => form(url, body, {}, 'allow-forms'),
  'a fetch in a sandbox': (url, body) => sandboxed(
    `(url, body) => fetch(url, {method: 'POST', body, credentials: 'include'}).then(a => a.text())`,
    url, body),
  'a new window': url => popup(open(url)),
  'a new window without a referrer': url => popup(open(url, '', 'noreferrer')),
  'a ping': (url, body) => {
    const link = Object.assign(document.createElement('a'), {href: '#there', ping: url});
    document.body.append(link);
    link.click();
    return '';
  },
};

// What the browser itself tells a page of an answer, beside what the request told.
const measured = url => performance.getEntriesByName(url).map(entry => entry.responseStatus || 0);

const attacked = async (name, url, body, site) => {
  const late = new Promise(done => setTimeout(() => done({learned: 'no end'}), 8000));
  const tried = Promise.resolve().then(() => attacks[name](url, body, site))
    .then(learned => ({learned}), () => ({learned: ''}));
  return {...await Promise.race([tried, late]), measured: measured(url)};
};
