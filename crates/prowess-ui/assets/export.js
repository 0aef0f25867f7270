// Answers that were written down: the page without the program behind it.
"use strict";

/** Only the pages of skills that were written beside this one are loaded. */
const pages = globalThis.trustedTypes?.createPolicy("prowess-export", {
  createScriptURL: (/** @type {string} */ url) => {
    if (!/^data\/\d+\.js$/.test(url)) throw new TypeError("it is no page of this export");
    return url;
  },
}) ?? { createScriptURL: (/** @type {string} */ url) => url };

/**
 * The answer to a question, as it was when the export was made.
 * @param {string} name @param {Record<string, any>} what
 * @returns {Promise<any>}
 */
async function recall(name, what) {
  const kept = /** @type {any} */ (globalThis).EXPORTED;
  if (Object.hasOwn(kept.answers, name) && !what.client) return kept.answers[name];
  const at = kept.answers.list.skills.findIndex((/** @type {any} */ it) => it.path === what.path);
  if (at < 0) throw new Unanswered("There is no such skill in this export.", null);
  if (!kept.skills[at]) {
    await new Promise((done, fail) => {
      const script = document.createElement("script");
      script.onload = done;
      script.onerror = () => fail(new Unanswered("The page of this skill is missing.", "Copy the folder of the export whole."));
      script.src = /** @type {any} */ (pages.createScriptURL(`data/${at}.js`));
      document.head.append(script);
    });
  }
  const answer = kept.skills[at]?.[name];
  if (!answer) throw new Unanswered("An export cannot answer this.", "`prowess ui` does.");
  return answer;
}
