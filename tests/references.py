"""The algorithms of gantry recon on a dense matrix in float64, written after their papers: x after K iterations."""

import math

import numpy as np


class Problem:
    """1/2 |A x - y|^2 + lam/2 |x|^2, A of views of `cols` rows each; shape: of x."""

    def __init__(self, A, y, cols, shape):
        self.A, self.y, self.cols, self.shape = A, y, cols, shape
        self.n, self.views = A.shape[1], A.shape[0] // cols
        self.norm2 = np.linalg.norm(A, 2) ** 2

    def subsets(self, n):
        """Rows of each of n subsets of the views, in the order of golden steps."""
        hop = int(round(0.6180339887 * n))
        while hop < 1 or math.gcd(hop, n) != 1:
            hop += 1
        rows = np.arange(self.A.shape[0])
        return [rows[rows // self.cols % n == i * hop % n] for i in range(n)]

    def gradient(self, x, lam=0.0):
        return self.A.T @ (self.A @ x - self.y) + lam * x

    def value(self, x, lam=0.0, l1=0.0):
        return 0.5 * np.sum((self.A @ x - self.y) ** 2) + 0.5 * lam * x @ x + l1 * np.abs(x).sum()


def soft(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0)


def next_t(t):
    return (1 + math.sqrt(1 + 4 * t * t)) / 2


# ---- gradients ----


def gradient(p, K, step, lam=0.0, relaxation=1.0):
    x = np.zeros(p.n)
    for _ in range(K):
        x = x - relaxation * step * p.gradient(x, lam)
    return x


def bb(p, K, step, lam):
    x = np.zeros(p.n)
    g = p.gradient(x, lam)
    for _ in range(K):
        to = x - step * g
        new = p.gradient(to, lam)
        step = (to - x) @ (to - x) / ((to - x) @ (new - g))
        x, g = to, new
    return x


def armijo(p, K, step, lam):
    x, step = np.zeros(p.n), step / 2
    for _ in range(K):
        g, step = p.gradient(x, lam), 2 * step
        while p.value(x - step * g, lam) > p.value(x, lam) - 1e-4 * step * (g @ g):
            step /= 2
        x = x - step * g
    return x


def fast(p, K, step, lam, optimised):
    x = z = np.zeros(p.n)
    t = 1.0
    for _ in range(K):
        last, x, to = x, z - step * p.gradient(z, lam), next_t(t)
        z = x + (t - 1) / to * (x - last) + optimised * t / to * (x - z)
        t = to
    return x


def ista(p, K, step, lam, l1):
    x = np.zeros(p.n)
    for _ in range(K):
        x = soft(x - step * p.gradient(x, lam), step * l1)
    return x


def fista(p, K, step, lam, l1):
    x = z = np.zeros(p.n)
    t, value = 1.0, math.inf
    for _ in range(K):
        last, x = x, soft(z - step * p.gradient(z, lam), step * l1)
        t = 1.0 if p.value(x, lam, l1) > value else t
        value, to = p.value(x, lam, l1), next_t(t)
        z = x + (t - 1) / to * (x - last)
        t = to
    return x


def pogm(p, K, step, lam, l1):
    x = w = z = np.zeros(p.n)
    theta, gamma, value = 1.0, 1.0, math.inf
    for _ in range(K):
        old, theta = theta, next_t(theta)
        last_w, w = w, x - step * p.gradient(x, lam)
        z = w + (old - 1) / theta * (w - last_w) + old / theta * (w - x) + (old - 1) * step / (theta * gamma) * (z - x)
        gamma = step * (2 * old + theta - 1) / theta
        x = soft(z, gamma * l1)
        if p.value(x, lam, l1) > value:
            theta, gamma, w, z = 1.0, 1.0, x, x
        value = p.value(x, lam, l1)
    return x


def apg(p, K, lam):
    d = p.A.T @ (p.A @ np.ones(p.n)) + lam
    x = last = np.zeros(p.n)
    t, momentum = 1.0, 0.0
    for _ in range(K):
        z = x + momentum * (x - last)
        to = np.maximum(0, z - p.gradient(z, lam) / d)
        if momentum > 0 and p.value(to, lam) > p.value(x, lam):
            t, momentum = 1.0, 0.0
            continue
        back = np.sum(d * (z - to) * (to - x)) > 0
        last, x, new = x, to, next_t(t)
        t, momentum = (1.0, 0.0) if back else (new, (t - 1) / new)
    return x


# ---- Krylov spaces, by their definition ----


def krylov(apply, start, K):
    """An orthonormal basis of start, apply(start), .., K of them."""
    q = [start / np.linalg.norm(start)]
    for _ in range(K - 1):
        v = apply(q[-1])
        for _ in range(2):
            for u in q:
                v = v - (u @ v) * u
        q.append(v / np.linalg.norm(v))
    return np.array(q).T


def normal_space(p, K):
    return krylov(lambda v: p.A.T @ (p.A @ v), p.A.T @ p.y, K)


def cg(p, K, lam, M=1.0):
    """The smallest objective of the space that M, a diagonal preconditioner, gives."""
    root = np.sqrt(M)
    Q = krylov(lambda v: root * (p.gradient(root * v, lam) + p.A.T @ p.y), root * (p.A.T @ p.y), K)
    Q = (root * Q.T).T
    return Q @ np.linalg.solve(Q.T @ (p.A.T @ (p.A @ Q) + lam * Q), Q.T @ (p.A.T @ p.y))


def lsmr(p, K, lam):
    Q = normal_space(p, K)
    return Q @ np.linalg.lstsq(p.A.T @ (p.A @ Q) + lam * Q, p.A.T @ p.y, rcond=None)[0]


def cgne(p, K):
    """The x of the space nearest to the solution; y must be A x of some x."""
    Q = normal_space(p, K)
    return Q @ (Q.T @ np.linalg.lstsq(p.A, p.y, rcond=None)[0])


def ab_gmres(p, K, B, basis):
    x = np.zeros(p.n)
    while K > 0:
        r = p.y - p.A @ x
        Q = krylov(lambda v: p.A @ (B @ v), r, min(K, basis))
        x = x + B @ (Q @ np.linalg.lstsq(p.A @ (B @ Q), r, rcond=None)[0])
        K -= basis
    return x


def ba_gmres(p, K, B, basis):
    x = np.zeros(p.n)
    while K > 0:
        r = B @ (p.y - p.A @ x)
        Q = krylov(lambda v: B @ (p.A @ v), r, min(K, basis))
        x = x + Q @ np.linalg.lstsq(B @ (p.A @ Q), r, rcond=None)[0]
        K -= basis
    return x


def omp(p, K):
    chosen, x = [], np.zeros(p.n)
    for _ in range(K):
        score = np.abs(p.A.T @ (p.y - p.A @ x)) / np.linalg.norm(p.A, axis=0)
        score[chosen] = -1
        chosen.append(int(np.argmax(score)))
        x = np.zeros(p.n)
        x[chosen] = np.linalg.lstsq(p.A[:, chosen], p.y, rcond=None)[0]
    return x


# ---- row and column sums ----


def sart_pass(p, x, subsets, relaxation, nonneg=False):
    for rows in p.subsets(subsets):
        A = p.A[rows]
        sums, columns = A.sum(1), A.sum(0)
        weighted = np.divide(p.y[rows] - A @ x, sums, out=np.zeros(len(rows)), where=sums > 1e-6 * sums.max())
        x = x + relaxation * np.divide(A.T @ weighted, columns, out=np.zeros(p.n), where=columns > 1e-6 * columns.max())
        x = np.maximum(x, 0) if nonneg else x
    return x


def sart(p, K, subsets, relaxation):
    x = np.zeros(p.n)
    for _ in range(K):
        x = sart_pass(p, x, subsets, relaxation)
    return x


def sqs(p, K, subsets, lam, relaxation, momentum, i0=None):
    """With i0 of the likelihood of counts i0 exp(-y), whose second derivative is at most i0 where A x >= 0."""
    d = (i0 or 1) * p.A.T @ (p.A @ np.ones(p.n)) + lam
    slope = (lambda l, y: i0 * (np.exp(-y) - np.exp(-l))) if i0 else lambda l, y: l - y
    x = z = np.zeros(p.n)
    t = 1.0
    for _ in range(K):
        for rows in p.subsets(subsets):
            A = p.A[rows]
            g = subsets * (A.T @ slope(A @ z, p.y[rows])) + lam * z
            last, x, to = x, z - relaxation * g / d, next_t(t)
            z = x + momentum * (t - 1) / to * (x - last)
            t = to
    return x


def em(p, K, subsets):
    x = np.ones(p.n)
    for _ in range(K):
        for rows in p.subsets(subsets):
            A = p.A[rows]
            ratio = np.divide(p.y[rows], A @ x, out=np.zeros(len(rows)), where=A.sum(1) > 0)
            x = x * (A.T @ ratio) / A.sum(0)
    return x


def mltr(p, K, subsets, i0, relaxation):
    counts = i0 * np.exp(-p.y)
    x = np.zeros(p.n)
    for _ in range(K):
        for rows in p.subsets(subsets):
            A = p.A[rows]
            mean = i0 * np.exp(-A @ x)
            x = x + relaxation * (A.T @ (mean - counts[rows])) / (A.T @ (mean * A.sum(1)))
    return x


# ---- Gauss and Newton ----


class Transmission:
    """1/2 |i0 exp(-A x) - n|^2_W of counts n, W = 1 / max(n, 1)."""

    def __init__(self, p, i0):
        self.A, self.i0, self.n = p.A, i0, i0 * np.exp(-p.y)
        self.W = 1 / np.maximum(self.n, 1)

    def at(self, x):
        mean = self.i0 * np.exp(-self.A @ x)
        return self.n - mean, -mean[:, None] * self.A

    def value(self, x):
        return np.sum(self.W * self.at(x)[0] ** 2)


def inner_cg(H, b, x, steps):
    """Steps of conjugate gradients on H x = b."""
    r = b - H @ x
    d, first = r, r @ r
    for _ in range(steps):
        a = (r @ r) / (d @ (H @ d))
        x, new = x + a * d, r - a * (H @ d)
        d, r = new + (new @ new) / (r @ r) * d, new
        if r @ r <= 1e-12 * first:
            break
    return x


def irgnm(p, K, i0, alpha, factor, lam, inner):
    F, x = Transmission(p, i0), np.zeros(p.n)
    for _ in range(K):
        alpha = max(alpha, lam)
        r, J = F.at(x)
        before = F.value(x) + alpha * x @ x
        to = inner_cg(J.T @ (F.W[:, None] * J) + alpha * np.eye(p.n), J.T @ (F.W * (r + J @ x)), x, inner)
        while F.value(to) + alpha * to @ to > before:
            to = (x + to) / 2
        x, alpha = to, alpha * factor
    return x


def lm(p, K, i0, damping, inner):
    F, x, growth, mu = Transmission(p, i0), np.zeros(p.n), 2.0, None
    for _ in range(K):
        r, J = F.at(x)
        s = J.T @ (F.W * r)
        if mu is None:
            mu = damping * np.sum(F.W * (J @ s) ** 2) / (s @ s)
        to = inner_cg(J.T @ (F.W[:, None] * J) + mu * np.eye(p.n), s + J.T @ (F.W * (J @ x)) + mu * x, x, inner)
        promised = F.value(x) - np.sum(F.W * (r - J @ (to - x)) ** 2)
        ratio = (F.value(x) - F.value(to)) / promised
        if ratio > 0:
            x, mu, growth = to, mu * max(1 / 3, 1 - (2 * ratio - 1) ** 3), 2.0
        else:
            mu, growth = mu * growth, 2 * growth
    return x


def irn(p, K, lam, l1, inner):
    """Conjugate gradients on squares that touch l1 |x|_1, rounded below a length, at the x of every `inner` steps."""
    x, w, rounded, steps = np.zeros(p.n), 0.0, 1.0, 0
    for _ in range(K):
        s = -p.gradient(x, lam) - w * x
        d = s if steps == 0 else s + (s @ s) / gamma * d
        gamma = s @ s
        x = x + gamma / (np.sum((p.A @ d) ** 2) + np.sum((lam + w) * d**2)) * d
        steps += 1
        if steps == inner:
            rounded, steps = max(rounded / 2, 1e-5), 0
            t = rounded * (x @ x) / (l1 * np.abs(x).sum())
            w = (x - soft(x, t * l1)) / (t * x)
    return x


# ---- splittings: l1 |x|_1 and x >= 0 ----


def proxes(l1):
    return [lambda v, t: soft(v, t * l1), lambda v, t: np.maximum(v, 0)]


def admm(p, K, rho, lam, l1, linear=False):
    x = np.zeros(p.n)
    z, u = [x, x], [x, x]
    H = p.A.T @ p.A + (lam + 2 * rho) * np.eye(p.n)
    for _ in range(K):
        b = p.A.T @ p.y + rho * sum(z[i] - u[i] for i in range(2))
        x = x + (b - H @ x) / (1.01 * p.norm2 + lam + 2 * rho) if linear else inner_cg(H, b, x, 8)
        for i, prox in enumerate(proxes(l1)):
            z[i] = prox(x + u[i], 1 / rho)
            u[i] = u[i] + x - z[i]
    return x


def douglas_rachford(p, K, step, lam, l1, relaxation):
    rho, x = 1 / step, np.zeros(p.n)
    s = [x, x]
    H = p.A.T @ p.A + (lam + 2 * rho) * np.eye(p.n)
    for _ in range(K):
        x = inner_cg(H, p.A.T @ p.y + rho * sum(s), x, 8)
        for i, prox in enumerate(proxes(l1)):
            s[i] = s[i] + relaxation * (prox(2 * x - s[i], step) - x)
    return x


def pdhg(p, K, tau, lam, l1, w=1.0):
    """w: weights of the data, which norm2 leaves out. l1 by its prox, the data and x >= 0 by their duals; and how far the last step is from a solution: |dx / tau|, |dq / sigma|."""
    sigma = 0.98 / (2 * tau)
    norm2 = 1.01 * p.norm2
    sy = sigma / norm2
    x = bar = np.zeros(p.n)
    q, dual = np.zeros(len(p.y)), np.zeros(p.n)
    for _ in range(K):
        last = x, q, dual
        x = soft((x - tau * (p.A.T @ q + dual)) / (1 + tau * lam), tau / (1 + tau * lam) * l1)
        bar = 2 * x - last[0]
        q = w * (q + sy * (p.A @ bar - p.y)) / (w + sy)
        dual = np.minimum(dual + sigma * bar, 0)
    moved = [np.sum((a - b) ** 2) for a, b in zip((x, q, dual), last)]
    return x, math.sqrt(moved[0] / tau**2 + (norm2 * moved[1] + moved[2]) / sigma**2)


def condat(p, K, tau, lam, l1):
    sigma = 0.99 / tau - (1.01 * p.norm2 + lam) / 2
    x = dual = np.zeros(p.n)
    for _ in range(K):
        to = soft(x - tau * (p.gradient(x, lam) + dual), tau * l1)
        dual = np.minimum(dual + sigma * (2 * to - x), 0)
        x = to
    return x


def pd3o(p, K, tau, lam, l1):
    sigma = 0.99 / tau
    x = bar = dual = np.zeros(p.n)
    for _ in range(K):
        dual = np.minimum(dual + sigma * bar, 0)
        to = soft(x - tau * (p.gradient(x, lam) + dual), tau * l1)
        bar = 2 * to - x + tau * (p.gradient(x, lam) - p.gradient(to, lam))
        x = to
    return x


# ---- steps along gradients of total variation ----


# ---- the same with steps of each voxel and ray ----


def cover(p, w=1.0):
    """A'W A 1, at least a thousandth of its maximum."""
    C = p.A.T @ (w * (p.A @ np.ones(p.n)))
    return np.maximum(C, 1e-3 * C.max())


def grow(dual, primal, k):
    """What a step is multiplied with where a dual moved so far, squared, and x."""
    if dual == primal == 0:
        return 1.0
    return (min(max((dual / primal) ** 0.25, 1 / 1.15), 1.15) if primal else 1.15) ** 0.97**k


def pdhg_each(p, K, lam, l1, w=1.0):
    """w: weights of the data. x >= 0 by its prox, the data and l1 by their duals; the steps of these grow where they move more than x."""
    C, kappa = cover(p, w), 0.2
    sigma = 0.3 * kappa * C.mean()
    x = dual = z = np.zeros(p.n)
    q = np.zeros(len(p.y))
    for k in range(K):
        T = 0.99 / (kappa * C + sigma)
        to = np.maximum((x - T * z) / (1 + T * lam), 0)
        bar, x, dx = 2 * to - x, to, to - x
        dq, dd = q, dual
        q = (q + kappa * w * (p.A @ bar - p.y)) / (1 + kappa)
        dual = np.clip(dual + sigma * bar, -l1, l1)
        dq, dd, z = q - dq, dual - dd, p.A.T @ q + dual
        rays, terms = np.sum(dq**2 / (kappa * w)), np.sum(dd**2) / sigma
        steps = grow(rays, kappa * np.sum(C * dx**2), k), grow(terms, sigma * np.sum(dx**2), k)
        kappa, sigma = kappa * steps[0], sigma * steps[1]
    return x


def condat_each(p, K, lam, l1, w=1.0):
    C = cover(p, w) + lam
    sigma = 0.1 * C.mean()
    x = dual = np.zeros(p.n)
    for k in range(K):
        slope = p.A.T @ (w * (p.A @ x - p.y)) + lam * x
        to = np.maximum(x - 0.99 / (C / 2 + sigma) * (slope + dual), 0)
        last, dual = dual, np.clip(dual + sigma * (2 * to - x), -l1, l1)
        sigma *= grow(np.sum((dual - last) ** 2) / sigma, sigma * np.sum((to - x) ** 2), k)
        x = to
    return x


def pd3o_each(p, K, lam, l1, w=1.0):
    C = cover(p, w) + lam
    sigma = 0.1 * C.mean()
    slope = lambda x: p.A.T @ (w * (p.A @ x - p.y)) + lam * x
    x = bar = dual = np.zeros(p.n)
    for k in range(K):
        T = 0.99 / (C / 1.8 + sigma)
        last, dual = dual, np.clip(dual + sigma * bar, -l1, l1)
        to = np.maximum(x - T * (slope(x) + dual), 0)
        bar = 2 * to - x + T * (slope(x) - slope(to))
        sigma *= grow(np.sum((dual - last) ** 2) / sigma, sigma * np.sum((to - x) ** 2), k)
        x = to
    return x



def edges_slope(p, x, delta=None):
    """The gradient of sums of sqrt(sum w d^2), d forward differences, w = 1 or exp(-(d / delta)^2)."""
    v = x.reshape(p.shape, order="F")
    d = np.zeros((2,) + p.shape)
    d[0, :-1], d[1, :, :-1] = np.diff(v, axis=0), np.diff(v, axis=1)
    w = np.ones_like(d) if delta is None else np.exp(-((d / delta) ** 2))
    length = np.sqrt(np.sum(w * d**2, axis=0))
    f = np.divide(w * d, length, out=np.zeros_like(d), where=length > 0)
    back = -f[0] - f[1]
    back[1:] += f[0, :-1]
    back[:, 1:] += f[1, :, :-1]
    return back.ravel(order="F")


def asd_pocs(p, K, subsets, slope, noise, descents, alpha, ratio, shrink, fade, relaxation):
    x = start = np.zeros(p.n)
    length = None
    for _ in range(K):
        x = sart_pass(p, start, subsets, relaxation, nonneg=True)
        moved = np.linalg.norm(x - start)
        length = alpha * moved if length is None else length
        start = x
        for _ in range(descents):
            g = slope(start)
            if not np.linalg.norm(g) > 0:
                break
            start = start - length * g / np.linalg.norm(g)
        if np.linalg.norm(p.A @ x - p.y) > noise and np.linalg.norm(start - x) > ratio * moved:
            length *= shrink
        relaxation *= fade
    return x
