# ruff: noqa - the script as it ran on the card, reformatted since and not yet rerun
"""SmolLM2-135M on stories: language model, unlabelled discriminator, labelled folds, ordering. One GPU, under ten minutes.

This is what made release/storycloze (H200, shared with two other jobs, 12.9 minutes; log in results/storycloze-training.log):

    python -m training.storycloze.prepare out/storycloze          # tokens and made endings, from SCENARIST_DATA
    SMOLLM2_GGUF=... OUT=out/storycloze BUDGET=860 python -m training.storycloze.train [--tiny]

`--tiny` runs every stage on a handful of stories, to see on any machine that it runs (LAYERS=1 makes it quick).
"""

import gzip
import itertools
import json
import os
import sys
import time
import traceback

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

from scenarist.models.pretrained import gguf_file
from training.storycloze.network import Lora, Smol

TINY = "--tiny" in sys.argv
OUT = HERE = os.environ.get("OUT", "out/storycloze")
os.makedirs(OUT, exist_ok=True)
START = time.time()
BUDGET = float(os.environ.get("BUDGET", "560"))
DEV = "cuda" if torch.cuda.is_available() else "cpu"
DT = torch.bfloat16 if DEV == "cuda" else torch.float32
torch.backends.cuda.matmul.allow_tf32 = True
SEEDS = [1, 2, 3]
LOG = open(os.path.join(OUT, "log.txt"), "a")
ROWS = gzip.open(os.path.join(OUT, "predictions.jsonl.gz"), "wt")


def say(*a):
    line = f"[{time.time() - START:6.1f}] " + " ".join(str(x) for x in a)
    print(line, flush=True)
    LOG.write(line + "\n")
    LOG.flush()


def left():
    return BUDGET - (time.time() - START)


# ---------------------------------------------------------------- data
d = np.load(os.path.join(HERE, "data.npz"))


def ragged(name):
    n = d[name + "_n"].astype(np.int64)
    at = np.r_[0, np.cumsum(n)]
    ids = d[name].astype(np.int64)
    return [ids[at[i] : at[i + 1]] for i in range(len(n))]


roc, near, flips, sc = ragged("roc"), ragged("near"), ragged("flip"), ragged("sc")
roc = [roc[5 * i : 5 * i + 5] for i in range(len(roc) // 5)]
near = [near[2 * i : 2 * i + 2] for i in range(len(roc))]
sc = [sc[6 * i : 6 * i + 6] for i in range(len(sc) // 6)]
answer, year, fold, ids_ = d["sc_answer"].astype(int), d["sc_year"], d["sc_fold"].astype(int), d["sc_id"]
isdev = np.load(os.path.join(HERE, "dev.npy"))
cased = d["cased"]
good = np.array([all(len(s) > 0 for s in st) and sum(map(len, st)) <= 110 for st in roc])
TRAIN = np.flatnonzero(~isdev & good)
ORDERDEV = np.flatnonzero(isdev & cased)
if TINY:
    TRAIN, ORDERDEV = TRAIN[:24], ORDERDEV[:6]
    pick = np.r_[0:8, len(sc) - 8 : len(sc)]
    sc, answer, year, fold, ids_ = [sc[i] for i in pick], answer[pick], year[pick], np.arange(16) % 10, ids_[pick]
BOS, MARK, EOS, REV = 0, 1, 2, 3
cat = lambda *a: np.concatenate([np.atleast_1d(np.asarray(x, dtype=np.int64)) for x in a])


def pad(seqs, value=0, mult=8):
    T = -(-max(len(s) for s in seqs) // mult) * mult
    out = np.full((len(seqs), T), value, dtype=np.int64)
    for i, s in enumerate(seqs):
        out[i, : len(s)] = s
    return out


def put(x):
    t = torch.from_numpy(x)
    return t.pin_memory().to(DEV, non_blocking=True) if DEV == "cuda" else t


def batches(items, size, seed, lengths, chunk=40):
    """One epoch of batches of similar length; the order of batches depends on the length ranks alone, so groups align."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(items)
    out = []
    for a in range(0, len(order), size * chunk):
        part = order[a : a + size * chunk]
        part = part[np.argsort(lengths[part], kind="stable")]
        out += [part[b : b + size] for b in range(0, len(part), size)]
    k = np.random.default_rng(seed // 1000).permutation(len(out))
    out = [out[i] for i in k]
    return [b for b in out if len(b) == size] or out


def group_batches(items, size, epoch, lengths, groups=None):
    """Per group its own shuffle; the same number of batches for all."""
    groups = groups or [items] * len(SEEDS)
    per = [batches(g, size, (epoch + 1) * 1000 + s, lengths) for s, g in enumerate(groups)]
    n = min(map(len, per))
    return [[p[i] for p in per] for i in range(n)]


def train(name, lora, make_epochs, step, lr, budget, epochs, warm=0.06, wd=0.01, head_lr=None):
    """Time-boxed training: after a few steps the total is cut so that the stage keeps its budget."""
    heads = [v for k, v in lora.p.items() if not k.endswith((".A", ".B"))]
    body = [v for k, v in lora.p.items() if k.endswith((".A", ".B"))]
    opt = torch.optim.AdamW(
        [
            {"params": body, "lr": lr, "base": lr},
            {"params": heads, "lr": head_lr or lr, "base": head_lr or lr, "weight_decay": 0.0},
        ],
        lr=lr,
        weight_decay=wd,
        betas=(0.9, 0.99),
        fused=DEV == "cuda",
    )
    t0 = time.time()
    total = None
    n = 0
    run = []
    lora.training = True
    for epoch in range(epochs):
        data = make_epochs(epoch)
        if total is None:
            total = len(data) * epochs
        for batch in data:
            if n >= total:
                break
            f = min(1.0, (n + 1) / max(1, warm * total)) * max(0.02, 1 - n / total)
            for g in opt.param_groups:
                g["lr"] = g["base"] * f
            loss, info = step(batch)
            loss.backward()
            opt.step()
            opt.zero_grad(set_to_none=True)
            n += 1
            run.append(info.detach())
            if n == 30:
                if DEV == "cuda":
                    torch.cuda.synchronize()
                t1 = time.time()
            if n == 60 or n == 200:
                if DEV == "cuda":
                    torch.cuda.synchronize()
                per = (time.time() - t1) / (n - 30)
                fits = int(n + (budget - (time.time() - t0)) / per)
                if fits < total:
                    total = max(fits, n)
                say(f"{name}: {per * 1000:.1f} ms a step, {total} steps planned ({total / len(data):.2f} epochs)")
            if n % 200 == 0:
                say(f"{name}: step {n}/{total} {torch.stack(run[-100:]).mean(0).flatten().tolist()}")
    lora.training = False
    if DEV == "cuda":
        torch.cuda.synchronize()
    say(
        f"{name}: done {n} steps in {time.time() - t0:.1f} s; last {torch.stack(run[-100:]).mean(0).flatten().tolist()}"
    )


# ---------------------------------------------------------------- language model formats
def fmt(st, rng):
    u = rng.random()
    if u < 0.52:
        return cat(BOS, *st[:4], MARK, st[4], EOS)
    if u < 0.60:
        return cat(BOS, MARK, st[4], EOS)
    if u < 0.70:
        return cat(BOS, st[0], MARK, st[4], EOS)
    if u < 0.80:
        return cat(BOS, st[0], st[1], MARK, st[4], EOS)
    if u < 0.97:
        return cat(BOS, st[4], REV, *st[:4], EOS)
    return cat(BOS, REV, *st[:4], EOS)


def lm_step(net, lora, rng):
    def step(batch):
        seqs = [[fmt(roc[i], rng) for i in b] for b in batch]
        flat = pad([s for g in seqs for s in g], -1)
        G, B = len(batch), len(batch[0])
        ids = put(flat).view(G, B, -1)
        h = net.forward(ids.clamp(min=0), lora)
        lp = net.logp(h[:, :, :-1], ids[:, :, 1:].clamp(min=0))
        m = ids[:, :, 1:] >= 0
        loss = -(lp * m).sum((1, 2)) / m.sum((1, 2))
        return loss.sum(), loss

    return step


@torch.no_grad()
def score_sequences(net, lora, seqs, heads=False, tokens=160000):
    """Sum log P of the marked part of each sequence, for each group: seqs = [(ids, from)] -> [G,N]; with heads the last-state logit."""
    G = lora.G if lora else 1
    order = np.argsort([len(s) for s, _ in seqs])
    out = np.zeros((G, len(seqs)))
    at = 0
    while at < len(order):
        B = 1
        while at + B < len(order) and (B + 1) * G * len(seqs[order[min(at + B, len(order) - 1)]][0]) < tokens:
            B += 1
        part = order[at : at + B]
        at += B
        a = pad([seqs[i][0] for i in part], -1)
        ids = put(a)[None].expand(G, -1, -1)
        h = net.forward(ids.clamp(min=0), lora)
        last = torch.tensor([len(seqs[i][0]) - 1 for i in part], device=DEV)
        if heads:
            s = h[:, torch.arange(len(part), device=DEV), last]
            v = lora.head(s)[..., 0]
        else:
            frm = torch.tensor([seqs[i][1] for i in part], device=DEV)
            k = torch.arange(1, a.shape[1], device=DEV)
            m = (k[None] >= frm[:, None]) & (k[None] <= last[:, None])
            lp = torch.zeros((G,) + m.shape, device=DEV)
            for g in range(G):
                lp[g][m] = net.logp(h[g, :, :-1][m], ids[g, :, 1:][m])
            v = lp.sum(-1)
        out[:, part] = v.float().cpu().numpy()
    return out


def cloze_parts(net, lora, plain=False):
    """All the log-probabilities from which endings are ranked: name -> [G,items,2]."""
    N = len(sc)
    full, alone, first, rev = [], [], [], []
    for st in sc:
        for e in (4, 5):
            if plain:
                full.append((cat(BOS, *st[:4], st[e]), 1 + sum(map(len, st[:4]))))
                alone.append((cat(BOS, st[e]), 1))
                continue
            c = cat(BOS, *st[:4], MARK)
            full.append((cat(c, st[e], EOS), len(c)))
            alone.append((cat(BOS, MARK, st[e], EOS), 2))
            c = cat(BOS, st[0], MARK)
            first.append((cat(c, st[e], EOS), len(c)))
            c = cat(BOS, st[e], REV)
            rev.append((cat(c, *st[:4], EOS), len(c)))
    parts = {"full": full, "alone": alone, "first": first, "rev": rev}
    out = {k: score_sequences(net, lora, v).reshape(-1, N, 2) for k, v in parts.items() if v}
    out["len"] = np.array([[len(st[4]), len(st[5])] for st in sc])[None] + (0 if plain else 1)
    return out


def acc(score):
    """[G,N,2] -> {year: [per group]}; ties half."""
    right = np.take_along_axis(score, answer[None, :, None], 2)[..., 0]
    wrong = np.take_along_axis(score, 1 - answer[None, :, None], 2)[..., 0]
    ok = (right > wrong) + 0.5 * (right == wrong)
    return {int(y): [round(float(v), 4) for v in ok[:, year == y].mean(1)] for y in (2016, 2018)}


def keep(row, scores, extra=None):
    """Per-item scores of every group, to be scored at home."""
    for g in range(scores.shape[0]):
        for i in range(len(sc)):
            ROWS.write(
                json.dumps(
                    {
                        "row": row,
                        "seed": SEEDS[g] if scores.shape[0] == len(SEEDS) else SEEDS[0],
                        "id": str(ids_[i]),
                        "year": int(year[i]),
                        "scores": [round(float(x), 4) for x in scores[g, i]],
                    }
                )
                + "\n"
            )
    ROWS.flush()


def report_cloze(tag, p):
    out = {}
    f, a = p["full"], p["alone"]
    out["mean"] = f / p["len"]
    out["sum"] = f
    for al in (0.5, 0.8, 1.0):
        out[f"pmi{al}"] = f - al * a
    if "first" in p:
        out["pmi-first"] = f - p["first"]
        out["rev"] = p["rev"]
        out["both"] = (f - a) + p["rev"]
        out["both.5"] = (f - 0.8 * a) + 0.5 * p["rev"]
        out["both-first"] = f - 0.5 * a - 0.5 * p["first"] + 0.5 * p["rev"]
    out["alone"] = a
    for k, v in out.items():
        say(f"  {tag} {k}: {acc(v)} mean of groups {acc(v.mean(0, keepdims=True)) if v.shape[0] > 1 else ''}")
    for k in ("mean", "pmi1.0", "both", "alone"):
        if k in out:
            keep(f"{tag}/{k}", out[k])
    return out


# ---------------------------------------------------------------- trees: one context, several endings
def tree(context, endings):
    """[BOS ctx MARK] then each ending with EOS seeing the context and itself alone -> ids, pos, branch (0 = trunk), last index of each."""
    trunk = cat(BOS, *context, MARK) if len(context) else cat(BOS, MARK)
    ids, pos, br, last = [trunk], [np.arange(len(trunk))], [np.zeros(len(trunk), dtype=np.int64)], []
    at = len(trunk)
    for k, e in enumerate(endings, 1):
        e = cat(e, EOS)
        ids.append(e)
        pos.append(len(trunk) + np.arange(len(e)))
        br.append(np.full(len(e), k))
        at += len(e)
        last.append(at - 1)
    return np.concatenate(ids), np.concatenate(pos), np.concatenate(br), last


def plant(trees):
    """Trees -> tensors ids, pos [N,T], mask [N,T,T], last [N,K]; padding is branch -1 and sees itself."""
    ids, pos, br = pad([t[0] for t in trees]), pad([t[1] for t in trees]), pad([t[2] for t in trees], -1)
    ids, pos, br = put(ids), put(pos), put(br)
    T = ids.shape[1]
    causal = torch.ones(T, T, dtype=torch.bool, device=DEV).tril()
    mask = causal[None] & ((br[:, :, None] == br[:, None, :]) | (br[:, None, :] == 0))
    return ids, pos, br, mask, put(np.array([t[3] for t in trees]))


def tree_logits(net, lora, trees_by_group, with_states=False):
    G, B = len(trees_by_group), len(trees_by_group[0])
    ids, pos, br, mask, last = plant([t for g in trees_by_group for t in g])
    T, K = ids.shape[1], last.shape[1]
    h = net.forward(ids.view(G, B, T), lora, pos=pos, mask=mask)
    s = torch.gather(h.reshape(G * B, T, -1), 1, last[:, :, None].expand(-1, -1, h.shape[-1])).view(G, B * K, -1)
    out = lora.head(F.dropout(s, 0.1) if lora.training else s)[..., 0].view(G, B, K)
    return (out, h, ids.view(G, B, T), br.view(G, B, T)) if with_states else out


@torch.no_grad()
def head_scores(net, lora, contexts=True, size=192, which=None):
    which = np.arange(len(sc)) if which is None else which
    out = np.zeros((lora.G, len(sc), 2))
    order = which[np.argsort([sum(map(len, sc[i])) for i in which])]
    for a in range(0, len(order), size):
        part = order[a : a + size]
        trees = [tree(sc[i][:4] if contexts else [], sc[i][4:6]) for i in part]
        out[:, part] = tree_logits(net, lora, [trees] * lora.G).float().cpu().numpy()
    return out


# ---------------------------------------------------------------- sampling endings
@torch.no_grad()
def sample(net, lora, prompts, seed, temperature=1.0, top_p=0.95, most=24, size=3072):
    """Endings for prompts (left-padded batches, cached keys); one adapter."""
    gen = torch.Generator(device=DEV).manual_seed(seed)
    out = [None] * len(prompts)
    order = np.argsort([len(p) for p in prompts])
    for a in range(0, len(order), size):
        part = order[a : a + size]
        T = max(len(prompts[i]) for i in part)
        B = len(part)
        ids = np.zeros((B, T), dtype=np.int64)
        real = np.zeros((B, T), dtype=bool)
        for k, i in enumerate(part):
            ids[k, T - len(prompts[i]) :] = prompts[i]
            real[k, T - len(prompts[i]) :] = True
        ids, real = put(ids), put(real)
        pos = (real.long().cumsum(1) - 1).clamp(min=0)
        mask = torch.ones(T, T, dtype=torch.bool, device=DEV).tril()[None] & real[:, None, :]
        mask = mask | torch.eye(T, dtype=torch.bool, device=DEV)[None]
        h, past = net.forward(ids[None], lora, pos=pos[None], mask=mask[None], keep=True)
        h, new, done = h[0, :, -1], [], torch.zeros(B, dtype=torch.bool, device=DEV)
        pos = pos[:, -1]
        for _ in range(most):
            lg = F.linear(h, net.E).float() / temperature
            v, k = lg.topk(100, -1)
            p = v.softmax(-1)
            over = p.cumsum(-1) - p > top_p
            p = p.masked_fill(over, 0)
            t = k.gather(1, torch.multinomial(p, 1, generator=gen))[:, 0]
            t = torch.where(done, torch.full_like(t, EOS), t)
            new.append(t)
            done = done | (t == EOS)
            if done.all():
                break
            pos = pos + 1
            real = torch.cat([real, torch.ones(B, 1, dtype=torch.bool, device=DEV)], 1)
            h, past = net.forward(
                t[None, :, None], lora, pos=pos[None, :, None], mask=real[None, :, None], past=past, keep=True
            )
            h = h[0, :, -1]
        new = torch.stack(new, 1).cpu().numpy()
        for k, i in enumerate(part):
            row = new[k]
            stop = np.flatnonzero(row == EOS)
            out[i] = row[: stop[0]] if len(stop) else row
    return out


# ---------------------------------------------------------------- ordering
PERMS = np.array(list(itertools.permutations(range(5))))  # perm[p] = which sentence comes p-th


def perm_features():
    before = np.zeros((120, 5, 5), dtype=np.float32)
    nxt = np.zeros_like(before)
    at = np.zeros_like(before)
    for n, perm in enumerate(PERMS):
        for p in range(5):
            at[n, perm[p], p] = 1
            if p < 4:
                nxt[n, perm[p], perm[p + 1]] = 1
            for q in range(p + 1, 5):
                before[n, perm[p], perm[q]] = 1
    return [torch.from_numpy(x).to(DEV) for x in (before, nxt, at)]


BEFORE, NEXT, AT = perm_features()
R = 64
ORDER_HEADS = {"bq": (576, R), "bk": (576, R), "nq": (576, R), "nk": (576, R), "at": (576, 5)}


def order_logits(net, lora, shown_by_group):
    """Shuffled sentences, told twice -> [G,B,120] scores of the permutations."""
    G, B = len(shown_by_group), len(shown_by_group[0])
    seqs, ends = [], []
    for g in shown_by_group:
        for st in g:
            once = cat(*st)
            n = np.cumsum([len(s) for s in st])
            seqs.append(cat(BOS, once, MARK, once, EOS))
            ends.append(1 + len(once) + n)
    ids = put(pad(seqs))
    ends = put(np.array(ends))
    h = net.forward(ids.view(G, B, -1), lora)
    s = torch.gather(h.reshape(G * B, -1, net.D), 1, ends[:, :, None].expand(-1, -1, net.D)).view(G, B * 5, net.D)
    if lora.training:
        s = F.dropout(s, 0.1)
    v = {k: lora.head(s, k).view(G, B, 5, -1) for k in ORDER_HEADS}
    bm = v["bq"] @ v["bk"].transpose(-1, -2) / 8
    nm = v["nq"] @ v["nk"].transpose(-1, -2) / 8
    return (
        torch.einsum("gbij,pij->gbp", bm - bm.transpose(-1, -2), BEFORE)
        + torch.einsum("gbij,pij->gbp", nm, NEXT)
        + torch.einsum("gbij,pij->gbp", v["at"], AT)
    )


@torch.no_grad()
def order_eval(net, lora, stories, tag, size=256):
    rng = np.random.default_rng(77)
    perfect, taus, places = [], [], []
    for a in range(0, len(stories), size):
        part = stories[a : a + size]
        shuf = [rng.permutation(5) for _ in part]
        shown = [[st[k] for k in s] for st, s in zip(part, shuf)]
        best = order_logits(net, lora, [shown] * lora.G).argmax(-1).cpu().numpy()  # [G,b]
        for g in range(lora.G):
            for k, s in enumerate(shuf):
                told = s[PERMS[best[g, k]]]  # original numbers in the order told
                c = sum(told[i] < told[j] for i in range(5) for j in range(i + 1, 5))
                perfect.append((g, (told == np.arange(5)).all()))
                taus.append((g, 2 * c / 10 - 1))
                places.append((g, told == np.arange(5)))
    for g in range(lora.G):
        say(
            f"  {tag} seed {g}: perfect {np.mean([x for h, x in perfect if h == g]):.4f} tau {np.mean([x for h, x in taus if h == g]):.4f} places {np.mean([x for h, x in places if h == g], 0).round(3).tolist()} n={len(stories)}"
        )


def save(name, packs, note):
    path = os.path.join(OUT, name + ".safetensors")
    tensors = {}
    for p in packs:
        tensors.update(p)
    save_file({k: v.contiguous() for k, v in tensors.items()}, path, metadata={k: str(v) for k, v in note.items()})
    say(f"saved {name}: {os.path.getsize(path) / 1e6:.1f} MB")


STATE = {}


def stage_lm():
    net = STATE["net"] = Smol(gguf_file(), DEV, DT)
    say("loaded", len(TRAIN), "stories,", len(sc), "items", torch.cuda.get_device_name() if DEV == "cuda" else "")
    report_cloze("smollm2", cloze_parts(net, None, plain=True))
    lora = STATE["lm"] = Lora(net, 3, 16, SEEDS, drop=0.05)
    lens = np.array([sum(map(len, s)) for s in roc])
    rng = np.random.default_rng(1)
    train(
        "lm", lora, lambda e: group_batches(TRAIN, 64 if not TINY else 4, e, lens), lm_step(net, lora, rng), 8e-4, 85, 4
    )
    STATE["lm_parts"] = report_cloze("lm", cloze_parts(net, lora))


def stage_sample():
    net, lora = STATE["net"], STATE["lm"].group(0)
    t = time.time()
    P = {}
    P["s1"] = sample(net, lora, [cat(BOS, roc[i][0], MARK) for i in TRAIN], 11)
    P["s2"] = sample(net, lora, [cat(BOS, roc[i][0], roc[i][1], MARK) for i in TRAIN], 12)
    P["ok"] = sample(net, lora, [cat(BOS, *roc[i][:4], MARK) for i in TRAIN], 13, temperature=0.9, top_p=0.9)
    for k in P:
        P[k] = {int(i): e for i, e in zip(TRAIN, P[k])}
    STATE["samples"] = P
    say("sampled", time.time() - t, "s", {k: float(np.mean([len(e) for e in v.values()])) for k, v in P.items()})
    with open(os.path.join(OUT, "log.txt"), "a") as f:
        for i in TRAIN[:12]:
            f.write(json.dumps({k: P[k][int(i)].tolist() for k in P}) + "\n")


def stage_contrast():
    """Head trained to prefer the told ending to made ones, from raw stories alone; the language model is kept up beside it."""
    net, P = STATE["net"], STATE["samples"]
    lora = STATE["contrast"] = STATE["lm"]
    rng = np.random.default_rng(2)
    for v in lora.p.values():
        v.requires_grad_()
    lens = np.array([sum(map(len, s)) for s in roc])
    alle = [roc[i][4] for i in TRAIN]

    def step(batch):
        trees, kinds = [], []
        for b in batch:
            row = []
            for i in b:
                i = int(i)
                st = roc[i]
                n1 = near[i][rng.integers(2)]
                n1 = n1 if len(n1) else alle[rng.integers(len(alle))]
                fl = flips[i]
                if len(fl) == 0 or rng.random() < 0.35:
                    fl = P["s1"][i] if rng.random() < 0.7 else alle[rng.integers(len(alle))]
                s = P["s1" if rng.random() < 0.5 else "s2"][i]
                s2 = P["s2" if rng.random() < 0.5 else "s1"][i]
                row.append(tree(st[:4], [st[4], n1, fl, s, P["ok"][i], s2]))
            trees.append(row)
        out, h, ids, br = tree_logits(net, lora, trees, True)
        ce = -F.log_softmax(out[..., :4], -1)[..., 0].mean(1)
        pair = -F.logsigmoid(out[..., 4] - out[..., 5]).mean(1)
        m = ((br[:, :, 1:] == 1) | (br[:, :, 1:] == 0)) & (ids[:, :, 1:] != BOS)
        lp = torch.stack([net.logp(h[g, :, :-1][m[g]], ids[g, :, 1:][m[g]]).mean() for g in range(lora.G)])
        a = (out[..., :4].argmax(-1) == 0).float().mean(1)
        b = (out[..., 4] > out[..., 5]).float().mean(1)
        return (ce + 0.5 * pair - 0.3 * lp).sum(), torch.stack([ce, pair, -lp, a, b])

    train(
        "contrast",
        lora,
        lambda e: group_batches(TRAIN, 48 if not TINY else 3, e, lens),
        step,
        5e-4,
        float(os.environ.get("CONTRAST", "100")),
        3,
        head_lr=2e-3,
    )
    hs = head_scores(net, lora)
    bare = head_scores(net, lora, contexts=False)
    for tag, s in (("head", hs), ("head-bare", hs - bare), ("bare", bare)):
        say(f"  contrast {tag}: {acc(s)} mean of groups {acc(s.mean(0, keepdims=True))}")
    parts = report_cloze("contrast", cloze_parts(net, lora))
    z = lambda x: x / (x[..., 0] - x[..., 1]).std()
    for w in (0.5, 1.0, 2.0):
        for k in ("pmi1.0", "both"):
            s = z(hs) + w * z(parts[k])
            say(f"  contrast head + {w} {k}: {acc(s)} mean of groups {acc(s.mean(0, keepdims=True))}")
    s = z(hs) + z(STATE["lm_parts"]["both"])
    say(f"  contrast head + lm both: {acc(s)} {acc(s.mean(0, keepdims=True))}")
    keep("contrast/head", hs)
    keep("contrast/head-bare", hs - bare)
    keep("contrast/bare", bare)
    save(
        "stories",
        [lora.packed(g, f"{SEEDS[g]}.") for g in range(3)],
        {"rank": 16, "scale": lora.scale, "what": "language model and discriminator, one a seed", "seeds": SEEDS},
    )


def run_folds(
    name,
    base,
    start,
    seed,
    contexts=True,
    rank=4,
    lr=8e-4,
    epochs=3,
    budget=60,
    which=None,
    init_head=None,
    years=(2016, 2018),
):
    """Ten adapters at once, one a fold, each blind to its fold's contexts; out-of-fold scores of every item [1,N,2]."""
    net = base
    lora = Lora(net, 10, rank, [100 * seed + f for f in range(10)], drop=0.1)
    if init_head is not None:
        lora.p["head"].data.copy_(init_head["head"].expand(10, -1, -1))
        lora.p["head.b"].data.copy_(init_head["head.b"].expand(10, -1, -1))
    ok = np.isin(year, years)
    groups = [np.flatnonzero((fold != f) & ok) for f in range(10)]
    lens = np.array([sum(map(len, s)) if contexts else len(s[4]) + len(s[5]) for s in sc])

    def step(batch):
        trees = [[tree(sc[i][:4] if contexts else [], sc[i][4:6]) for i in b] for b in batch]
        out = tree_logits(net, lora, trees)
        y = put(np.array([[answer[i] for i in b] for b in batch]))
        ce = F.cross_entropy(out.reshape(-1, 2), y.reshape(-1), reduction="none").view(10, -1).mean(1)
        a = (out.argmax(-1) == y).float().mean(1)
        return ce.sum(), torch.stack([ce.mean(), a.mean()])

    train(
        name,
        lora,
        lambda e: group_batches(None, 32 if not TINY else 2, e * 7 + seed, lens, groups),
        step,
        lr,
        budget,
        epochs,
        head_lr=2e-3 if init_head is None else 5e-4,
    )
    s = head_scores(net, lora, contexts)
    out = np.zeros((1, len(sc), 2))
    for f in range(10):
        out[0, fold == f] = s[f, fold == f]
    say(f"  {name}: out of fold {acc(out)}")
    return lora, out


def stage_folds():
    net = STATE["net"]
    g = STATE["contrast"].group(0)
    base = STATE["base0"] = net.merged(g)
    heads = {k: g.p[k] for k in ("head", "head.b")}
    allof = []
    for n, seed in enumerate(SEEDS):
        if n and left() < 100:
            say("no time for further fold seeds")
            break
        lora, out = run_folds(f"folds-{seed}", base, None, seed, budget=50, init_head=heads)
        allof.append(out)
        keep_one("labelled", seed, out)
        if n == 0:
            save(
                "folds",
                [lora.packed(f, f"{f}.") for f in range(10)],
                {"rank": 4, "scale": lora.scale, "what": "labelled folds over stories-1", "seed": seed},
            )
        if n == 0:
            stage_order(1)
    if len(allof) > 1:
        say("  folds ensemble of", len(allof), acc(np.mean(allof, 0)))
    STATE["folds"] = allof


def keep_one(row, seed, out):
    for i in range(len(sc)):
        ROWS.write(
            json.dumps(
                {
                    "row": row,
                    "seed": seed,
                    "id": str(ids_[i]),
                    "year": int(year[i]),
                    "scores": [round(float(x), 4) for x in out[0, i]],
                }
            )
            + "\n"
        )
    ROWS.flush()


def stage_order(seed):
    base = STATE["base0"]
    lora = Lora(base, 1, 16, [seed], drop=0.05, sizes=ORDER_HEADS)
    rng = np.random.default_rng(seed)
    lens = np.array([sum(map(len, s)) for s in roc])

    def step(batch):
        shown, y = [], []
        for b in batch:
            row = []
            for i in b:
                s = rng.permutation(5)
                row.append([roc[i][k] for k in s])
                inv = np.argsort(s)  # the sentence told p-th stands at inv[p]
                y.append(int(np.flatnonzero((inv == PERMS).all(1))[0]))
            shown.append(row)
        out = order_logits(base, lora, shown)
        y = put(np.array(y)).view(out.shape[:2])
        ce = F.cross_entropy(out.reshape(-1, 120), y.reshape(-1), reduction="none").view(out.shape[:2]).mean(1)
        return ce.sum(), torch.stack([ce.mean(), (out.argmax(-1) == y).float().mean()])

    keepseeds = SEEDS[:]
    SEEDS[:] = [seed]
    try:
        train(
            f"order-{seed}",
            lora,
            lambda e: group_batches(TRAIN, 64 if not TINY else 3, e * 11 + seed, lens),
            step,
            6e-4,
            float(os.environ.get("ORDER", "75")),
            6,
            head_lr=2e-3,
        )
    finally:
        SEEDS[:] = keepseeds
    order_eval(base, lora, [roc[i] for i in ORDERDEV], f"order-{seed} rocstories dev")
    whole = [list(st[:4]) + [st[4 + answer[i]]] for i, st in enumerate(sc) if year[i] == 2016]
    order_eval(base, lora, whole, f"order-{seed} storycloze-2016")
    save(
        f"ordering-{seed}",
        [lora.packed(0)],
        {"rank": 16, "scale": lora.scale, "what": "ordering over stories seed 1", "seed": seed},
    )


def stage_audit():
    """Ending-only, and the labelled model without its context, ten folds."""
    base = STATE["base0"]
    lora, out = run_folds("ending-only", base, None, 1, contexts=False, budget=25)
    keep_one("ending-only", 1, out)
    lora, out = run_folds("ending-only-2016", base, None, 1, contexts=False, budget=15, years=(2016,))
    keep_one("ending-only-2016", 1, out)


def stage_all():
    """An adapter trained on all labelled items: for the test files and for `fill`."""
    global fold
    base = STATE["base0"]
    saved = fold
    g = STATE["contrast"].group(0)
    fold = np.full(len(sc), 10)
    fold[:1] = 10
    try:
        net = base
        lora = Lora(net, 1, 8, [1], drop=0.1)
        lora.p["head"].data.copy_(g.p["head"])
        lora.p["head.b"].data.copy_(g.p["head.b"])
        lens = np.array([sum(map(len, s)) for s in sc])

        def step(batch):
            trees = [[tree(sc[i][:4], sc[i][4:6]) for i in b] for b in batch]
            out = tree_logits(net, lora, trees)
            y = put(np.array([[answer[i] for i in b] for b in batch]))
            ce = F.cross_entropy(out.reshape(-1, 2), y.reshape(-1))
            return ce, ce

        train(
            "labelled-all",
            lora,
            lambda e: group_batches(None, 32 if not TINY else 2, e, lens, [np.arange(len(sc))]),
            step,
            8e-4,
            25,
            3,
            head_lr=5e-4,
        )
        save(
            "labelled", [lora.packed(0)], {"rank": 8, "scale": lora.scale, "what": "labelled over stories-1", "seed": 1}
        )
    finally:
        fold = saved


def stage_ablations():
    if left() < 45:
        return say("no time for ablations")
    lora, out = run_folds("folds-from-lm", STATE["net"].merged(STATE["lm0"]), None, 1, budget=40)
    keep_one("labelled-from-lm", 1, out)
    if left() < 45:
        return
    lora, out = run_folds(
        "folds-r16-2ep",
        STATE["base0"],
        None,
        1,
        rank=16,
        lr=4e-4,
        epochs=4,
        budget=45,
        init_head={k: STATE["contrast"].group(0).p[k] for k in ("head", "head.b")},
    )
    keep_one("labelled-r16", 1, out)
    if left() > 100:
        stage_order(2)


def main():
    def snap_lm():
        STATE["lm0"] = STATE["lm"].group(0)

    for stage in (
        stage_lm,
        snap_lm,
        stage_sample,
        stage_contrast,
        stage_folds,
        stage_audit,
        stage_all,
        stage_ablations,
    ):
        t = time.time()
        try:
            stage()
            if DEV == "cuda":
                torch.cuda.empty_cache()
        except Exception:
            say(f"{stage.__name__} FAILED")
            say(traceback.format_exc())
        say(
            f"== {stage.__name__} {time.time() - t:.1f} s; {left():.0f} s left; peak {torch.cuda.max_memory_allocated() / 2**30 if DEV == 'cuda' else 0:.1f} GiB"
        )
    ROWS.close()
    for f in sorted(os.listdir(OUT)):
        say(f, os.path.getsize(os.path.join(OUT, f)))


if __name__ == "__main__":
    main()
