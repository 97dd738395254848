// On a page that a running campaign serves: asks once per second for what is new.
(() => {
  "use strict";
  const root = document.documentElement, picker = document.getElementById("case");
  const note = Object.assign(document.createElement("p"), { className: "live" });
  note.setAttribute("role", "status");
  document.querySelector("header").append(note);
  const tell = (text) => { note.textContent = text; };
  const labels = () => (picker ? [...picker.options].map((option) => option.text).join("\n") : null);
  let seen = Number(root.dataset.version);

  async function ask() {
    let answer;
    try { answer = await fetch("live.json?seen=" + seen); } catch {
      tell("The campaign has ended, or its server cannot be reached.");
      return;
    }
    if (answer.status === 200) {
      const news = await answer.json();
      if (news.labels.join("\n") !== labels() && news.labels.length) { location.reload(); return; }
      seen = news.version;
      if (news.report) window.showResults(news.report, news.lead, news.first);
      root.dataset.version = seen;
      if (news.is_over) { tell("The campaign has ended. “swapregret report” writes this page to a file."); return; }
    }
    setTimeout(ask, 1000);
  }
  tell("Live: this page follows the campaign.");
  setTimeout(ask, 1000);
})();
